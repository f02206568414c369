import { Worker } from "node:worker_threads";
import { assertEquals, assertInstanceOf, assertRejects } from "@std/assert";
import { nodeWorkerPort } from "../../../src/async/mod.ts";
import { Extractor } from "../../../src/engine/ingestion/extractor.ts";
import { ExtractionError } from "../../../src/extraction/errors.ts";

/** A thread that speaks the protocol of `serveThread`; the filename of a task says what it does. */
const THREAD = `
  const { parentPort } = require("node:worker_threads");
  const post = (message) => parentPort.postMessage(message);
  let tasks = 0;
  parentPort.on("message", ({ type, id, input }) => {
    if (type === "open") return post({ type: "opened" });
    const { filename } = input;
    tasks++;
    if (filename === "hang") for (;;);
    if (filename === "crash") throw new Error("segmentation");
    if (filename === "reject") return void Promise.reject(new Error("unhandled"));
    if (filename === "exit") process.exit(3);
    if (filename === "exhaust") for (const all = [];;) all.push(new Array(10_000).fill(Math.random()));
    if (filename === "damaged") {
      return post({ type: "error", id, error: { code: "damaged", message: "It is damaged" } });
    }
    if (filename === "exit afterwards") setImmediate(() => process.exit(3));
    post({ type: "notice", notice: { stage: "indexing", progress: 0.5 } });
    post({ type: "response", id, output: { docType: "text", title: String(tasks), tags: [], chunks: [] } });
  });
  post({ type: "ready" });
`;

const CHUNK = { maxTokens: 100, overlapTokens: 0 };
const task = (filename: string) => ({ path: "unused", filename, contentType: undefined, chunk: CHUNK });

/** Runs a test with real threads; `spawned` and `ended` count them. */
async function withExtractor(
  options: { timeoutMs?: number; idleMs?: number },
  test: (extractor: Extractor, spawned: () => number, ended: () => number) => Promise<void>,
): Promise<void> {
  let spawned = 0;
  let ended = 0;
  const spawn = () => {
    spawned++;
    const worker = new Worker(THREAD, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 64 } });
    worker.on("exit", () => ended++);
    return Promise.resolve(nodeWorkerPort(worker));
  };
  await using extractor = new Extractor(spawn, { timeoutMs: 30_000, ...options });
  await test(extractor, () => spawned, () => ended);
}

Deno.test("Extractor: the thread starts with the first file and is reused", () =>
  withExtractor({}, async (extractor, spawned) => {
    assertEquals(spawned(), 0);
    const stages: [string, number][] = [];
    const first = await extractor.run(task("a"), (...stage) => stages.push(stage));
    const second = await extractor.run(task("b"));
    assertEquals([first.title, second.title, spawned()], ["1", "2", 1]);
    assertEquals(stages, [["indexing", 0.5]]);
  }));

Deno.test("Extractor: an extraction error keeps its code and message", () =>
  withExtractor({}, async (extractor, spawned) => {
    const error = await assertRejects(() => extractor.run(task("damaged")), ExtractionError, "It is damaged");
    assertEquals(error.code, "damaged");
    await extractor.run(task("next"));
    assertEquals(spawned(), 1);
  }));

for (const how of ["crash", "reject", "exit"]) {
  Deno.test(`Extractor: a thread that ends by ${how} fails only its file`, () =>
    withExtractor({}, async (extractor, spawned) => {
      const error = await assertRejects(() => extractor.run(task(how)), ExtractionError, "crashed");
      assertEquals(error.code, "internal");
      assertEquals((await extractor.run(task("next"))).title, "1");
      assertEquals(spawned(), 2);
    }));
}

Deno.test("Extractor: a thread that ends between two files is replaced", () =>
  withExtractor({}, async (extractor, spawned, ended) => {
    await extractor.run(task("exit afterwards"));
    while (ended() === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    assertEquals((await extractor.run(task("next"))).title, "1");
    assertEquals(spawned(), 2);
  }));

Deno.test("Extractor: a timeout fails the file and replaces the thread", () =>
  withExtractor({ timeoutMs: 200 }, async (extractor, spawned) => {
    const error = await assertRejects(
      () => extractor.run(task("hang")),
      ExtractionError,
      "longer than 0.2 s",
    );
    assertEquals(error.code, "timeout");
    assertEquals((await extractor.run(task("next"))).title, "1");
    assertEquals(spawned(), 2);
  }));

Deno.test("Extractor: a file that exhausts the thread's memory fails only itself", () =>
  withExtractor({ timeoutMs: 3000 }, async (extractor) => {
    // The thread stops without an event, so the timeout fails the file.
    await assertRejects(() => extractor.run(task("exhaust")), ExtractionError);
    assertEquals((await extractor.run(task("next"))).title, "1");
  }));

Deno.test("Extractor: an idle thread is terminated", () =>
  withExtractor({ idleMs: 1 }, async (extractor, spawned, ended) => {
    await extractor.run(task("a"));
    while (ended() === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    await extractor.run(task("b"));
    assertEquals(spawned(), 2);
  }));

Deno.test("Extractor: disposal aborts the file in progress", () =>
  withExtractor({}, async (extractor) => {
    const running = extractor.run(task("hang"));
    const error = await assertRejects(() => {
      extractor[Symbol.asyncDispose]();
      return running;
    });
    assertInstanceOf(error, DOMException);
    assertEquals(error.name, "AbortError");
    assertInstanceOf(await assertRejects(() => extractor.run(task("late"))), DOMException);
  }));

// `withExtractor` disposes a second time and would clear the timer, so this test disposes by itself.
Deno.test("Extractor: a file aborted by disposal leaves no timer", async () => {
  const worker = () => nodeWorkerPort(new Worker(THREAD, { eval: true }));
  const extractor = new Extractor(() => Promise.resolve(worker()), { timeoutMs: 30_000 });
  await extractor.run(task("a"));
  const aborted = assertRejects(() => extractor.run(task("hang")), DOMException);
  await extractor[Symbol.asyncDispose]();
  // The sanitizer fails this test if a timer is left.
  await aborted;
});
