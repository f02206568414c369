import { assertRejects } from "@std/assert";
import { SqliteKnowledgeBase } from "../../../src/engine/sqlite/mod.ts";
import { silentLogger } from "../../../src/telemetry/mod.ts";
import { spawnWriter } from "../../../src/engine/worker.ts";

Deno.test("a store whose search thread cannot be started is unlocked", async () => {
  const dataDir = await Deno.makeTempDir();
  const none = () => {
    throw new Error("out of threads");
  };
  const spawn = { search: none, writer: spawnWriter, vectors: none, encoder: none, queryEncoder: none };
  const options = {
    dataDir,
    maxQueuedJobs: 10,
    chunk: { maxTokens: 64, overlapTokens: 8 },
    vectorMemoryBytes: 2 ** 20,
    spawn,
    log: silentLogger,
  };
  await assertRejects(
    () => SqliteKnowledgeBase.open({ ...options, searchThreads: 1 }),
    Error,
    "out of threads",
  );
  const store = await SqliteKnowledgeBase.open(options);
  await store[Symbol.asyncDispose]();
  await Deno.remove(dataDir, { recursive: true });
});
