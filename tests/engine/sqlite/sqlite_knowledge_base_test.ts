import { assertEquals, assertRejects } from "@std/assert";
import type { ThreadPort } from "../../../src/async/mod.ts";
import { SqliteKnowledgeBase } from "../../../src/engine/sqlite/mod.ts";
import { silentLogger } from "../../../src/telemetry/mod.ts";
import { spawnWriter } from "../../../src/engine/worker.ts";

const none = () => {
  throw new Error("out of threads");
};
const spawn = {
  search: none,
  writer: spawnWriter,
  vectors: none,
  encoder: none,
  spareEncoder: none,
  queryEncoder: none,
};
const settings = {
  maxQueuedJobs: 10,
  chunk: { maxTokens: 64, overlapTokens: 8 },
  vectorMemoryBytes: 2 ** 20,
  spawn,
  log: silentLogger,
};

Deno.test("a store whose search thread cannot be started is unlocked", async () => {
  const dataDir = await Deno.makeTempDir();
  const options = { ...settings, dataDir };
  await assertRejects(
    () => SqliteKnowledgeBase.open({ ...options, searchThreads: 1 }),
    Error,
    "out of threads",
  );
  const store = await SqliteKnowledgeBase.open(options);
  await store[Symbol.asyncDispose]();
  await Deno.remove(dataDir, { recursive: true });
});

Deno.test("the search thread opens a store before the first search", async () => {
  const dataDir = await Deno.makeTempDir();
  const posted: unknown[] = [];
  let receive = (_message: unknown) => {};
  const port: ThreadPort = {
    post: (message) => posted.push((message as { type: string }).type),
    onMessage: (listener) => receive = listener,
    onEnd() {},
    terminate: () => Promise.resolve(),
  };
  const store = await SqliteKnowledgeBase.open({
    ...settings,
    dataDir,
    searchThreads: 1,
    spawn: { ...spawn, search: () => port },
  });
  await Promise.resolve();
  receive({ type: "ready" });
  assertEquals(posted, ["open"]);
  receive({ type: "opened" });
  receive({ type: "closed" });
  await store[Symbol.asyncDispose]();
  await Deno.remove(dataDir, { recursive: true });
});
