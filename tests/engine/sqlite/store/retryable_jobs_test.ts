import { assertEquals, assertThrows } from "@std/assert";
import { KnowledgeBaseError } from "../../../../src/engine/knowledge_base/mod.ts";
import { spooledFiles } from "../../../../src/engine/sqlite/store/mod.ts";
import { draft, sha256, TestStore } from "./test_store.ts";

const GiB = 2 ** 30;

function add(store: TestStore, spoolFile: string, sizeBytes = 1): number {
  const job = { spoolFile, contentHash: sha256(spoolFile), sizeBytes, tags: [] };
  return Number(store.write("createJob", job).job_id);
}

/** Adds a file and fails its job. Returns spool files that are no longer needed. */
function fail(
  store: TestStore,
  name: string,
  options: { code?: "damaged" | "unsupported_type"; sizeBytes?: number },
) {
  const id = add(store, name, options.sizeBytes);
  store.write("claimFiles");
  return store.write("failJob", id, options.code ?? "damaged", "it is broken").spoolFiles;
}

Deno.test("a queued job is cancelled, and a cancelled one retried with its id", async () => {
  await using store = await TestStore.open();
  const id = add(store, "one");
  const { job, running, spoolFiles } = store.write("cancelJob", id);
  assertEquals([job.status, job.stage, running, spoolFiles], ["cancelled", "finished", [], []]);
  assertEquals(store.write("claimFiles"), []);
  assertEquals(store.write("retryJob", id).status, "queued");
  assertEquals(store.write("claimFiles")[0]?.jobId, id);
  assertEquals(store.write("cancelJob", id).running, [id]);
});

Deno.test("a cancelled note is retried with its text", async () => {
  await using store = await TestStore.open();
  const id = Number(
    store.write("createJob", { text: "kettle", contentHash: "c", sizeBytes: 6, tags: [] }).job_id,
  );
  store.write("cancelJob", id);
  assertEquals(store.write("ingestNotes", 10).queuedNotes, 0);
  assertEquals(store.job({ job_id: id }).status, "cancelled");
  store.write("retryJob", id);
  store.write("ingestNotes", 10);
  assertEquals(store.job({ job_id: id }).status, "done");
});

Deno.test("an ended job is not cancelled, and a job that has not failed is not retried", async () => {
  await using store = await TestStore.open();
  const id = add(store, "one");
  const code = (run: () => unknown) => assertThrows(run, KnowledgeBaseError).code;
  assertEquals(code(() => store.write("retryJob", id)), "conflict");
  store.write("claimFiles");
  store.write("finishFile", { jobId: id, docType: "pdf", tags: [], chunks: [draft("x")] });
  assertEquals(code(() => store.write("cancelJob", id)), "conflict");
  assertEquals(code(() => store.write("retryJob", id)), "conflict");
  assertEquals(code(() => store.write("cancelJob", 99)), "not_found");
});

Deno.test("a result that arrives after a cancellation is not stored", async () => {
  await using store = await TestStore.open();
  const id = add(store, "one");
  store.write("claimFiles");
  store.write("cancelJob", id);
  const finish = () =>
    store.write("finishFile", { jobId: id, docType: "pdf", tags: [], chunks: [draft("x")] });
  assertThrows(finish, KnowledgeBaseError, "got cancelled");
  assertEquals(store.count("documents"), 0);
});

Deno.test("files of an unsupported type are not kept for a retry", async () => {
  await using store = await TestStore.open();
  assertEquals(fail(store, "one", { code: "unsupported_type" }), ["one"]);
  assertThrows(() => store.write("retryJob", 1), KnowledgeBaseError, "no longer kept");
});

Deno.test("the newest failed files are kept, up to 1 GiB", async () => {
  await using store = await TestStore.open();
  assertEquals(fail(store, "one", { sizeBytes: GiB / 2 }), []);
  assertEquals(fail(store, "two", { sizeBytes: GiB / 4 }), []);
  assertEquals(fail(store, "three", { sizeBytes: GiB / 2 }), ["one"]);
  assertEquals([...spooledFiles(store.db)].sort(), ["three", "two"]);
});
