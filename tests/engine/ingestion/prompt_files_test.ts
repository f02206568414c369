import { assert, assertEquals, assertRejects } from "@std/assert";
import { PromptFiles } from "../../../src/engine/ingestion/prompt_files.ts";
import { readTextFile } from "../../../src/engine/sqlite/preparation/read_text_file.ts";
import { MetricsRegistry } from "../../../src/telemetry/mod.ts";
import { KnowledgeBaseError, type NewJob } from "../../../src/engine/knowledge_base/mod.ts";
import { sha256, TestStore } from "../sqlite/store/test_store.ts";

const CHUNK = { maxTokens: 64, overlapTokens: 8 };

/** Adds a file to a store. */
function add(
  store: TestStore,
  text: string,
  fields: Partial<NewJob> = {},
  { metrics = new MetricsRegistry(), charge }: {
    metrics?: MetricsRegistry;
    charge?: (bytes: number) => boolean;
  } = {},
) {
  const promptFiles = new PromptFiles({
    queue: { addFile: (job, document) => Promise.try(() => store.write("addFile", job, document)) },
    readText: readTextFile,
    chunk: CHUNK,
    metrics,
  });
  const job = { filename: "a.md", contentHash: sha256(text), sizeBytes: text.length, tags: [], ...fields };
  return promptFiles.add(job, new TextEncoder().encode(text), charge);
}

Deno.test("a small text is stored with its job, like a queued file", async () => {
  await using store = await TestStore.open();
  const fields = { contentType: "text/markdown", sourcePath: "p", tags: ["collection:c", "t"], actor: "Ann" };
  const job = await add(store, "---\ntags: [own]\n---\n# Tea\n\nGreen tea.\n", fields);
  assertEquals(job, store.job({ job_id: 1 }));
  assertEquals([job?.status, job?.outcome, job?.filename, job?.title], ["done", "created", "a.md", null]);
  const { title, doc_type, tags, source_path, size_bytes } = store.document(1);
  assertEquals([title, doc_type, source_path, size_bytes], ["Tea", "markdown", "p", 38]);
  assertEquals(tags, ["collection:c", "own", "t"]);
  assertEquals([store.find("green"), store.operations.takeEndedJobs()], [[1], [1]]);
  const same = await add(store, "---\ntags: [own]\n---\n# Tea\n\nGreen tea.\n");
  const other = await add(store, "# Tea\n\nBlack tea.\n", { sourcePath: "p", title: "Black" });
  assertEquals([same?.outcome, other?.outcome, store.document(1).title], ["duplicate", "replaced", "Black"]);
  assertEquals([store.find("green"), store.find("black")], [[], [1]]);
  store.check();
});

Deno.test("a file is queued if its path belongs to another document, or files with its path wait", async () => {
  await using store = await TestStore.open();
  await add(store, "One.", { sourcePath: "p", tags: ["collection:a"] });
  assertEquals(await add(store, "Two.", { sourcePath: "p", tags: ["collection:b"] }), undefined);
  store.write("createJob", { spoolFile: "s", contentHash: "h", sizeBytes: 1, tags: [], sourcePath: "q" });
  assertEquals(await add(store, "Three.", { sourcePath: "q" }), undefined);
  assertEquals(await add(store, "a,b\n1,2", { filename: "a.csv" }), undefined);
  assertEquals([store.count("documents"), store.count("jobs")], [1, 2]);
});

Deno.test("a file with a path is queued while notes wait, which it might overtake", async () => {
  await using store = await TestStore.open();
  store.write("createJob", { text: "Note.", contentHash: "h", sizeBytes: 5, tags: [], sourcePath: "p" });
  assertEquals(await add(store, "File.", { sourcePath: "p", overwrite: true }), undefined);
  assertEquals((await add(store, "Other."))?.status, "done");
});

Deno.test("a file that cannot be stored is queued, where it fails by itself, unless the queue is full", async () => {
  await using store = await TestStore.open({ maxQueuedJobs: 1 });
  store.db.exec("CREATE TRIGGER broken BEFORE INSERT ON documents BEGIN SELECT RAISE(ABORT, 'broken'); END");
  assertEquals(await add(store, "One."), undefined);
  store.write("createJob", { spoolFile: "s", contentHash: "h", sizeBytes: 1, tags: [] });
  assertEquals((await assertRejects(() => add(store, "Two."), KnowledgeBaseError)).code, "queue_full");
});

Deno.test("the stages of a small text are measured, like those of a queued file", async () => {
  await using store = await TestStore.open();
  const metrics = new MetricsRegistry();
  await add(store, "One.", {}, { metrics });
  const counts = (await metrics.expose()).matchAll(
    /^kb_engine_ingestion_duration_seconds_count\{stage="(\w+)"\} (\d+)/gm,
  );
  assertEquals(Array.from(counts, ([, stage, count]) => [stage, count]), [["extract", "1"], ["store", "1"]]);
});

Deno.test("a file is charged for the memory of its text and index, and queued without enough", async () => {
  await using store = await TestStore.open();
  const text = "Die Wanderungen der Vögel beginnen im Herbst, und im Frühling enden sie. ".repeat(100);
  let charged = 0;
  const charge = (isEnough: boolean) => (bytes: number) => {
    charged += bytes;
    return isEnough;
  };
  assertEquals(await add(store, text, {}, { charge: charge(false) }), undefined);
  assertEquals([store.count("documents"), store.count("jobs")], [0, 0]);
  // Two bytes per character of the text, and of its derived terms.
  assert(charged > 4 * text.length, `${charged}`);
  assertEquals((await add(store, text, {}, { charge: charge(true) }))?.status, "done");
});
