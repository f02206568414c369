import { assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { StoreOperations } from "../../../../src/engine/sqlite/store/operations.ts";
import { getJob, spooledFiles } from "../../../../src/engine/sqlite/store/mod.ts";
import { KnowledgeBaseError } from "../../../../src/engine/knowledge_base/mod.ts";
import { CHUNK, draft, sha256, TestStore } from "./test_store.ts";

const file = (name: string) => ({ spoolFile: name, contentHash: sha256(name), sizeBytes: 1, tags: [] });
const note = (text: string) => ({ text, contentHash: sha256(text), sizeBytes: text.length, tags: ["a"] });

Deno.test("an accepted job is queued with all its fields", async () => {
  await using store = await TestStore.open();
  const job = store.write("createJob", {
    ...file("spool-1"),
    filename: "a.pdf",
    contentType: "application/pdf",
    title: "T",
    sourcePath: "docs/a.pdf",
    tags: ["x"],
  });
  assertEquals(job as unknown, {
    job_id: 1,
    status: "queued",
    stage: "queued",
    progress: 0,
    title: "T",
    filename: "a.pdf",
    source_path: "docs/a.pdf",
    tags: ["x"],
    document_id: null,
    outcome: null,
    error: null,
    error_code: null,
    created_at: job.created_at,
    started_at: null,
    finished_at: null,
  });
  assertEquals(store.write("claimFiles")[0] as unknown, {
    jobId: 1,
    spoolFile: "spool-1",
    filename: "a.pdf",
    contentType: "application/pdf",
    title: "T",
    sizeBytes: 1,
    isLarge: false,
    depth: 0,
  });
});

Deno.test("a job has exactly one of text and file", async () => {
  await using store = await TestStore.open();
  for (const job of [{ ...note("a"), ...file("b") }, { contentHash: "", sizeBytes: 0, tags: [] }]) {
    assertEquals(
      assertThrows(() => store.write("createJob", job), KnowledgeBaseError, "exactly one").code,
      "invalid",
    );
  }
});

Deno.test("at most the maximum number of jobs is queued, also after rejected and ended jobs", async () => {
  await using store = await TestStore.open({ maxQueuedJobs: 3 });
  const assertQueueFull = () =>
    assertThrows(() => store.write("createJob", note("x")), KnowledgeBaseError, "3 jobs are queued");
  store.write("createJob", note("one"));
  store.write("createJob", file("two"));
  store.write("createJob", note("three"));
  assertEquals(assertQueueFull().code, "queue_full");
  assertEquals(store.write("ingestNotes", 1), { queuedNotes: 1, queuedFiles: 1 });
  store.write("createJob", file("four"));
  assertQueueFull();
  store.write("claimFiles");
  assertEquals(store.write("ingestNotes", 9), { queuedNotes: 0, queuedFiles: 1 });
});

Deno.test("notes are ingested oldest first, up to the maximum", async () => {
  await using store = await TestStore.open();
  for (const text of ["one", "two", "three"]) store.write("createJob", note(text));
  assertEquals(store.write("ingestNotes", 2), { queuedNotes: 1, queuedFiles: 0 });
  assertEquals([1, 2, 3].map((job_id) => store.job({ job_id }).status), ["done", "done", "queued"]);
});

Deno.test("one call ingests a few megabytes of notes, and at least one note", async () => {
  await using store = await TestStore.open();
  for (let i = 0; i < 3; i++) store.write("createJob", { ...note(`note ${i}`), sizeBytes: 5 * 2 ** 20 });
  assertEquals(store.write("ingestNotes", 100).queuedNotes, 2);
});

Deno.test("progress is stored while a job is processing, and ignored afterwards", async () => {
  await using store = await TestStore.open();
  const job = store.write("createJob", file("one"));
  store.write("reportProgress", 1, {
    stage: "extracting",
    progress: 0.5,
    work: { unit: "pages", done: 1, total: 2 },
  });
  assertEquals(store.job(job).stage, "queued");
  store.write("claimFiles");
  store.write("reportProgress", 1, {
    stage: "extracting",
    progress: 0.5,
    work: { unit: "pages", done: 1, total: 2 },
  });
  assertEquals(store.job(job).work, { unit: "pages", done: 1, total: 2 });
  store.write("reportProgress", 1, { stage: "indexing", progress: 0.3 });
  assertEquals([store.job(job).stage, store.job(job).progress, store.job(job).work], [
    "indexing",
    0.5,
    undefined,
  ]);
  store.write("reportProgress", 1, { stage: "indexing", progress: 7 });
  assertEquals(store.job(job).progress, 1);
  store.write("failJob", 1, "damaged", "it is broken");
  store.write("reportProgress", 1, { stage: "indexing", progress: 0.9 });
  assertEquals(store.job(job).stage, "finished");
});

Deno.test("a job ends once", async () => {
  await using store = await TestStore.open();
  const job = store.write("createJob", file("one"));
  const finish = () =>
    store.write("finishFile", { jobId: 1, docType: "pdf", tags: [], chunks: [draft("x")] });
  assertThrows(finish, KnowledgeBaseError, "Job 1 must be processing, got queued");
  store.write("claimFiles");
  assertEquals(finish(), { spoolFiles: ["one"] });
  assertThrows(finish, KnowledgeBaseError, "Job 1 must be processing, got done");
  assertThrows(() => store.write("failJob", 1, "internal", "x"), KnowledgeBaseError, "got done");
  assertThrows(() => store.write("failJob", 2, "internal", "x"), KnowledgeBaseError, "There is no job 2");
  assertEquals([store.job(job).outcome, store.count("documents")], ["created", 1]);
});

Deno.test("a failed job has an error and creates no document", async () => {
  await using store = await TestStore.open();
  const job = store.write("createJob", file("one"));
  store.write("claimFiles");
  assertEquals(store.write("failJob", 1, "no_text", "no text found"), { spoolFiles: [] });
  const { status, error, error_code, finished_at } = store.job(job);
  assertEquals([status, error, error_code], ["failed", "no text found", "no_text"]);
  assertMatch(finished_at ?? "", /^2026-/);
  assertEquals([store.count("documents"), [...spooledFiles(store.db)]], [0, ["one"]]);
});

Deno.test("an interrupted file is requeued behind files without an interruption", async () => {
  await using store = await TestStore.open();
  for (const name of ["one", "two", "three"]) store.write("createJob", file(name));
  assertEquals(store.write("claimFiles")[0]?.jobId, 1);
  restart(store).recover();
  assertEquals([store.job({ job_id: 1 }).status, store.job({ job_id: 1 }).stage], ["queued", "queued"]);
  assertEquals([...spooledFiles(store.db)].sort(), ["one", "three", "two"]);
  assertEquals([1, 2, 3].map(() => store.write("claimFiles")[0]?.jobId), [2, 3, 1]);
});

Deno.test("a file that is interrupted each time fails after 10 attempts", async () => {
  await using store = await TestStore.open();
  const job = store.write("createJob", file("one"));
  for (let attempt = 1; attempt <= 10; attempt++) {
    assertEquals(store.write("claimFiles")[0]?.jobId, 1);
    restart(store).recover();
  }
  assertEquals(store.write("claimFiles"), []);
  const { status, error, error_code } = store.job(job);
  assertEquals([status, error_code], ["failed", "internal"]);
  assertEquals(error, "Gave up after 10 attempts: ingestion was interrupted each time");
});

Deno.test("the oldest ended jobs are pruned, queued ones never", async () => {
  await using store = await TestStore.open({ keptJobs: 20 });
  store.write("createJob", file("waits"));
  for (let i = 0; i < 30; i++) store.addNote(`note ${i}`);
  assertEquals(store.count("jobs"), 21);
  assertEquals(store.job({ job_id: 1 }).status, "queued");
  const kept = store.db.prepare("SELECT min(id) AS id FROM jobs WHERE status = 'done'").get()?.id;
  assertEquals(kept, 12);
});

Deno.test("a pruned job is expired, and an id that never existed is unknown", async () => {
  await using store = await TestStore.open({ keptJobs: 20 });
  for (let i = 0; i < 30; i++) store.addNote(`note ${i}`);
  const { finished_at: endedBefore } = store.job({ job_id: 11 });
  const error = assertThrows(() => store.job({ job_id: 3 }), KnowledgeBaseError);
  assertEquals([error.code, error.details], ["expired", { job_id: 3, ended_before: endedBefore }]);
  assertStringIncludes(error.message, `Job 3 has ended before ${endedBefore}`);
  for (const id of [0, 31, 1000]) assertEquals(getJob(store.db, id), undefined);
});

function restart(store: TestStore): StoreOperations {
  return new StoreOperations(store.db, {
    chunk: CHUNK,
    maxQueuedJobs: 100,
    now: () => new Date().toISOString(),
  });
}
