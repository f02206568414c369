import { assertEquals, assertExists } from "@std/assert";
import type { Source, SyncReport } from "../../../src/contract/mod.ts";
import type { EmbeddedEngine } from "../../support/embedded_engine.ts";
import type { TemporaryFolder } from "../../support/temporary_folder.ts";

/** A source of an engine, with its folder. */
export class TestSource {
  readonly engine: EmbeddedEngine;
  readonly name: string;
  readonly id: number;

  private constructor(engine: EmbeddedEngine, name: string, id: number) {
    this.engine = engine;
    this.name = name;
    this.id = id;
  }

  /** Adds a folder, and waits for its first synchronization. */
  static async add(
    engine: EmbeddedEngine,
    folder: TemporaryFolder,
    options: Record<string, unknown> & { readonly name: string },
  ): Promise<TestSource> {
    const { status, body } = await engine.call("addSource", { body: { path: folder.path, ...options } });
    assertEquals(status, 200, JSON.stringify(body));
    const source = new TestSource(engine, options.name, body.source_id);
    await source.sync();
    return source;
  }

  /** Synchronizes the folder. */
  async sync(request: Record<string, unknown> = {}): Promise<Source> {
    const body = { wait_seconds: 50, ...request };
    const { status, body: source } = await this.engine.call("syncSource", { id: this.id, body });
    assertEquals(status, 200, JSON.stringify(source));
    return source;
  }

  /** Returns the documents by path inside the source. */
  // deno-lint-ignore no-explicit-any -- any fields of a document
  async documents(): Promise<Map<string, any>> {
    const prefix = `${this.name}/`;
    const { body } = await this.engine.call("queryDocuments", {
      body: { source_path_prefix: prefix, limit: 100 },
    });
    // deno-lint-ignore no-explicit-any -- any fields of a document
    return new Map(body.documents.map((each: any) => [each.source_path.slice(prefix.length), each]));
  }

  /** Returns a document with its metadata. */
  async document(path: string) {
    const { document_id: id } = (await this.documents()).get(path);
    return (await this.engine.call("getDocument", { id })).body;
  }

  /** Sends a request about a document. */
  async edit(path: string, body: Record<string, unknown>) {
    const { document_id: id } = (await this.documents()).get(path);
    return await this.engine.call("editDocument", { id, body });
  }
}

/** Returns the counts of a report that are not 0. */
export function counts(source: Source): Record<string, number> {
  const report: SyncReport | null = source.last_sync;
  assertExists(report);
  const { created, updated, renamed, deleted, unchanged, failed } = report;
  const all = { created, updated, renamed, deleted, unchanged, failed };
  return Object.fromEntries(Object.entries(all).filter(([, n]) => n > 0));
}

/** Returns the failures of a report. */
export function failures(source: Source): string[][] {
  return (source.last_sync?.failures ?? []).map(({ path, code }) => [path, code]);
}

type Step = (engine: EmbeddedEngine) => Promise<void>;

/** Runs steps that share an engine. Each has a source of its own. */
export async function runSteps(
  t: Deno.TestContext,
  engine: EmbeddedEngine,
  steps: Readonly<Record<string, Step>>,
): Promise<void> {
  for (const [name, run] of Object.entries(steps)) await t.step(name, () => run(engine));
}
