import type { EngineOptions } from "../../src/engine/mod.ts";
import { EmbeddedEngine } from "./embedded_engine.ts";

/**
 * Opens one engine before the tests of a file and closes it after them, because starting an engine takes far longer
 * than most tests. For tests that cannot see each other's documents; they run in any order.
 *
 * @returns The engine, for use inside of tests.
 */
export function sharedEngine(options: Partial<EngineOptions> = {}): () => EmbeddedEngine {
  let engine: EmbeddedEngine | undefined;
  Deno.test.beforeAll(async () => {
    engine = await EmbeddedEngine.open(options);
    // Starts the timer of the counts of uses, which would be a leak of the first test that reads a document.
    const { document_id } = await engine.ingest({ text: "Read before the tests." });
    await engine.call("getDocument", { id: Number(document_id) });
  });
  Deno.test.afterAll(() => engine?.[Symbol.asyncDispose]());
  return () => {
    if (!engine) throw new Error("The engine is open only while tests run");
    return engine;
  };
}
