import { assertEquals, assertRejects } from "@std/assert";
import { FileWriter } from "../../../src/engine/ingestion/file_writer.ts";
import { KnowledgeBaseError } from "../../../src/engine/knowledge_base/mod.ts";
import { contentStep } from "../../../src/engine/sqlite/store/content_steps.ts";
import { draft, sha256, TestStore } from "../sqlite/store/test_store.ts";

const chunksOf = (count: number) => Array.from({ length: count }, (_, i) => draft(`chunk ${i}`));

/** A function that stores a file of some chunks, two at a time, and the names of its writes. */
function prepare(store: TestStore, count: number, { failures = [] }: { failures?: readonly number[] } = {}) {
  const text = `file of ${count}`;
  store.write("createJob", { spoolFile: text, contentHash: sha256(text), sizeBytes: 1, tags: [] });
  const jobId = store.write("claimFiles")[0]?.jobId ?? NaN;
  const writes: string[] = [];
  const write = <T>(name: string, run: () => T) =>
    Promise.try(() => {
      if (failures.includes(writes.push(name) - 1)) throw new KnowledgeBaseError("storage_full", name);
      return run();
    });
  const queue: ConstructorParameters<typeof FileWriter>[0] = {
    stageChunks: (chunks) => write("stage", () => store.write("stageChunks", chunks)),
    finishFile: (file) => write("finish", () => store.write("finishFile", file)),
  };
  const writer = new FileWriter(queue, jobId, { sliceChunks: 2 });
  const texts = () =>
    store.document(store.job({ job_id: jobId }).document_id).chunks?.map(({ text }) => text);
  return { writer, writes, texts };
}

const DOCUMENT = { docType: "text" as const, tags: [] };

Deno.test("a short text is stored in one write, a long one in slices", async () => {
  await using store = await TestStore.open();
  const [short, long] = [prepare(store, 4), prepare(store, 6)];
  await short.writer.add(chunksOf(4));
  await short.writer.finish(DOCUMENT);
  assertEquals(short.writes, ["finish"]);
  await long.writer.add(chunksOf(5));
  // Two chunks, so that the rest still fills slices.
  assertEquals(long.writes, ["stage"]);
  await long.writer.add(chunksOf(6).slice(5));
  await long.writer.finish(DOCUMENT);
  assertEquals(long.writes, ["stage", "stage", "stage", "finish"]);
  assertEquals(long.texts(), chunksOf(6).map(({ text }) => text));
});

Deno.test("a repeated end continues with the write that failed", async () => {
  await using store = await TestStore.open();
  const { writer, writes, texts } = prepare(store, 6, { failures: [1, 3, 5] });
  await writer.add(chunksOf(6));
  const finish = () => writer.finish(DOCUMENT);
  for (let failed = 0; failed < 3; failed++) await assertRejects(finish, KnowledgeBaseError);
  await finish();
  assertEquals(writes.join(" "), "stage stage stage stage stage finish finish");
  assertEquals(texts(), chunksOf(6).map(({ text }) => text));
});

Deno.test("a second attempt at a file leaves nothing of the first", async () => {
  await using store = await TestStore.open();
  const { writer, texts } = prepare(store, 6);
  writer.start("first");
  await writer.add(chunksOf(6));
  writer.start("second");
  await writer.add(chunksOf(5));
  await writer.finish(DOCUMENT);
  while (contentStep(store.db));
  assertEquals(texts(), chunksOf(5).map(({ text }) => text));
  assertEquals(store.count("chunks"), 5);
});
