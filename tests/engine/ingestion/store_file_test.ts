import { assertEquals, assertRejects } from "@std/assert";
import { storeFile } from "../../../src/engine/ingestion/store_file.ts";
import { KnowledgeBaseError } from "../../../src/engine/knowledge_base/mod.ts";
import { draft, sha256, TestStore } from "../sqlite/store/test_store.ts";

const chunksOf = (count: number) => Array.from({ length: count }, (_, i) => draft(`chunk ${i}`));

/** A function that stores a file of some chunks, two at a time, and the names of its writes. */
function prepare(store: TestStore, count: number, { failures = [] }: { failures?: readonly number[] } = {}) {
  const text = `file of ${count}`;
  store.write("createJob", { spoolFile: text, contentHash: sha256(text), sizeBytes: 1, tags: [] });
  const jobId = store.write("claimFile")?.jobId ?? NaN;
  const writes: string[] = [];
  const write = <T>(name: string, run: () => T) =>
    Promise.try(() => {
      if (failures.includes(writes.push(name) - 1)) throw new KnowledgeBaseError("storage_full", name);
      return run();
    });
  const queue: Parameters<typeof storeFile>[0] = {
    stageChunks: (chunks) => write("stage", () => store.write("stageChunks", chunks)),
    finishFile: (file) => write("finish", () => store.write("finishFile", file)),
  };
  const file = { jobId, docType: "text" as const, tags: [], chunks: chunksOf(count) };
  const texts = () =>
    store.document(store.job({ job_id: jobId }).document_id).chunks?.map(({ text }) => text);
  return { run: storeFile(queue, file, 2), writes, texts };
}

Deno.test("a short text is stored in one write, a long one in slices", async () => {
  await using store = await TestStore.open();
  const [short, long] = [prepare(store, 4), prepare(store, 5)];
  await short.run();
  await long.run();
  assertEquals(short.writes, ["finish"]);
  assertEquals(long.writes, ["stage", "stage", "stage", "finish"]);
  assertEquals(long.texts(), chunksOf(5).map(({ text }) => text));
});

Deno.test("a repeated call continues with the write that failed", async () => {
  await using store = await TestStore.open();
  const { run, writes, texts } = prepare(store, 5, { failures: [0, 2, 5] });
  for (let failed = 0; failed < 3; failed++) await assertRejects(run, KnowledgeBaseError);
  await run();
  assertEquals(writes.join(" "), "stage stage stage stage stage finish finish");
  assertEquals(texts(), chunksOf(5).map(({ text }) => text));
});
