import { assertEquals, assertThrows } from "@std/assert";
import { Job } from "../../../../src/contract/mod.ts";
import { KnowledgeBaseError, type NewContainedFile } from "../../../../src/engine/knowledge_base/mod.ts";
import { DatabaseSync } from "node:sqlite";
import { createDataDir } from "../../../../src/engine/sqlite/store/data_dir.ts";
import { migrate } from "../../../../src/engine/sqlite/store/migrate.ts";
import { MIGRATIONS } from "../../../../src/engine/sqlite/store/migrations.ts";
import {
  containedTotals,
  getJob,
  listJobs,
  listTrash,
  spooledFiles,
} from "../../../../src/engine/sqlite/store/mod.ts";
import { draft, type JobFields, TestStore } from "./test_store.ts";

/** A file of a container, whose text is its name. */
function file(path: string): NewContainedFile {
  return { path, spoolFile: `spool-${path}`, contentHash: path.padEnd(64, "0"), sizeBytes: 10 };
}

/** Queues and claims an uploaded file. Returns the id of its job. */
function upload(store: TestStore, filename: string, fields: JobFields & { content?: string } = {}): number {
  const { content = filename, tags = [], ...rest } = fields;
  const contentHash = content.padEnd(64, "0");
  store.write("createJob", { spoolFile: filename, filename, contentHash, sizeBytes: 1, tags, ...rest });
  return store.write("claimFiles")[0]!.jobId;
}

function unpack(store: TestStore, jobId: number, ...paths: string[]): void {
  store.write("finishArchive", { jobId, files: paths.map(file) });
}

/** Ends the job of a message with attachments. Returns the id of its document. */
function message(store: TestStore, jobId: number, ...paths: string[]): number {
  const document = { docType: "email" as const, tags: [], chunks: [draft("message")] };
  store.write("finishFile", { jobId, ...document, files: paths.map(file) });
  return Number(job(store, jobId).document_id);
}

/** Ingests the queued files as texts. Returns their jobs. */
function ingestFiles(store: TestStore): Job[] {
  const ended: Job[] = [];
  for (let [next] = store.write("claimFiles"); next; [next] = store.write("claimFiles")) {
    const { jobId } = next;
    store.write("finishFile", {
      jobId,
      docType: "text",
      tags: [],
      chunks: [draft(`text of ${next.filename}`)],
    });
    ended.push(job(store, jobId));
  }
  return ended;
}

function job(store: TestStore, id: number): Job {
  return Job.parse(getJob(store.db, id));
}

Deno.test("the files of an archive become jobs that inherit what its sender requested", async () => {
  await using store = await TestStore.open();
  const id = upload(store, "trip.zip", { tags: ["travel"], actor: "cursor", title: "Trip" });
  unpack(store, id, "day 1/a.txt", "b.txt");
  assertEquals([job(store, id).status, job(store, id).outcome, job(store, id).document_id], [
    "done",
    "unpacked",
    null,
  ]);
  assertEquals(job(store, id).file_jobs, { queued: 2 });
  const files = ingestFiles(store);
  assertEquals(files.map((each) => [each.source_path, each.filename, each.title, each.tags]), [
    ["trip.zip/day 1/a.txt", "a.txt", null, ["travel"]],
    ["trip.zip/b.txt", "b.txt", null, ["travel"]],
  ]);
  assertEquals(files.map(({ parent_job_id }) => parent_job_id), [id, id]);
  assertEquals(job(store, id).file_jobs, { done: 2 });
  assertEquals(job(store, id).warning, undefined);
});

Deno.test("a file that cannot be unpacked is a failed job, and the archive has a warning", async () => {
  await using store = await TestStore.open();
  const id = upload(store, "a.zip", { sourcePath: "backup/a" });
  const error = { code: "encrypted" as const, message: "It is password-protected" };
  store.write("finishArchive", { jobId: id, files: [file("good.txt"), { path: "secret.txt", error }] });
  ingestFiles(store);
  assertEquals(
    job(store, id).warning,
    `1 of 2 files could not be read: secret.txt (encrypted, job ${id + 2}).`,
  );
  const page = listJobs(store.db, { parent_job_id: id, status: "failed", limit: 10 });
  assertEquals(page.total, 1);
  assertEquals([page.jobs[0]?.error_code, page.jobs[0]?.source_path], ["encrypted", "backup/a/secret.txt"]);
});

Deno.test("the jobs of an archive include those of archives in it", async () => {
  await using store = await TestStore.open();
  const id = upload(store, "outer.zip");
  unpack(store, id, "inner.zip", "a.txt");
  const inner = store.write("claimFiles")[0]!;
  assertEquals([inner.filename, inner.depth], ["inner.zip", 1]);
  unpack(store, inner.jobId, "b.txt");
  assertEquals(containedTotals(store.db, inner.jobId), {
    files: 3,
    bytes: 30,
    waiting: { files: 2, bytes: 20 },
  });
  const files = ingestFiles(store);
  assertEquals(files.map(({ source_path }) => source_path), ["outer.zip/a.txt", "outer.zip/inner.zip/b.txt"]);
  assertEquals(job(store, id).file_jobs, { done: 2 });
  assertEquals(listJobs(store.db, { parent_job_id: id, limit: 10 }).total, 2);
});

Deno.test("the same archive again merges its files, and changed ones are replaced", async () => {
  await using store = await TestStore.open();
  unpack(store, upload(store, "a.zip"), "a.txt", "b.txt");
  const first = ingestFiles(store);
  unpack(store, upload(store, "a.zip"), "a.txt", "b.txt");
  const again = ingestFiles(store);
  assertEquals(again.map(({ outcome }) => outcome), ["duplicate", "duplicate"]);
  assertEquals(again.map(({ document_id }) => document_id), first.map(({ document_id }) => document_id));
  const changed = { ...file("a.txt"), contentHash: "f".repeat(64) } as NewContainedFile;
  store.write("finishArchive", { jobId: upload(store, "a.zip"), files: [changed] });
  const [replaced] = ingestFiles(store);
  assertEquals([replaced?.outcome, replaced?.document_id], ["replaced", first[0]?.document_id]);
});

Deno.test("the files of an archive that only adds change no stored document, nor its links", async () => {
  await using store = await TestStore.open();
  unpack(store, upload(store, "a.zip"), "a.txt", "b.txt");
  const [stored, other] = ingestFiles(store).map(({ document_id }) => store.document(Number(document_id)));
  const changed = { ...file("a.txt"), contentHash: "f".repeat(64) } as NewContainedFile;
  const jobId = upload(store, "a.zip", { addOnly: true, tags: ["x"] });
  store.write("finishArchive", { jobId, files: [changed, file("b.txt")] });
  const [conflict, duplicate] = ingestFiles(store);
  assertEquals([conflict?.error_code, conflict?.conflict?.document_id], ["conflict", stored?.document_id]);
  assertEquals([duplicate?.outcome, duplicate?.document_id], ["duplicate", other?.document_id]);
  message(store, upload(store, "m.eml", { addOnly: true }), "b.txt");
  assertEquals(ingestFiles(store).map(({ outcome }) => outcome), ["duplicate"]);
  assertEquals(store.document(Number(stored?.document_id)), stored);
  assertEquals(store.document(Number(other?.document_id)), other);
});

Deno.test("a message that only adds gets no attachment again that was deleted from the stored one", async () => {
  await using store = await TestStore.open();
  const id = message(store, upload(store, "m.eml"), "a.pdf", "b.zip");
  const [attachment] = ingestFiles(store);
  store.write("deleteDocument", Number(attachment?.document_id));
  const before = store.document(id);
  message(store, upload(store, "m.eml", { addOnly: true }), "a.pdf", "b.zip");
  const [added] = ingestFiles(store);
  assertEquals([added?.outcome, added?.document_id === attachment?.document_id], ["created", false]);
  assertEquals(store.document(id), before);
  assertEquals(store.document(Number(added?.document_id)).parent_id ?? null, null);
  // Of a new message, they are its attachments.
  const other = message(store, upload(store, "n.eml", { addOnly: true }), "c.pdf");
  const [own] = ingestFiles(store);
  assertEquals(store.document(Number(own?.document_id)).parent_id, other);
});

Deno.test("a message and its attachments know each other, also after a replacement", async () => {
  await using store = await TestStore.open();
  const id = message(store, upload(store, "a.eml", { sourcePath: "a.eml" }), "plan.pdf", "photos.zip");
  const plan = store.write("claimFiles")[0]!;
  const chunks = [draft("plan")];
  store.write("finishFile", { jobId: plan.jobId, docType: "pdf", tags: [], title: "The plan", chunks });
  unpack(store, store.write("claimFiles")[0]!.jobId, "photo.txt");
  const [photo] = ingestFiles(store);
  const planId = Number(job(store, plan.jobId).document_id);
  const attachments = [
    { document_id: planId, title: "The plan" },
    { document_id: Number(photo!.document_id), title: "photo.txt" },
  ];
  assertEquals(store.document(id).attachments, attachments);
  assertEquals(store.document(planId).parent_id, id);
  assertEquals(message(store, upload(store, "a.eml", { sourcePath: "a.eml", content: "changed" })), id);
  assertEquals(store.document(id).attachments, attachments);
});

Deno.test("an attachment does not replace the equally named one of another message", async () => {
  await using store = await TestStore.open();
  const first = message(store, upload(store, "message.eml"), "invoice.txt");
  const [kept] = ingestFiles(store);
  const second = message(store, upload(store, "message.eml", { content: "2" }));
  const jobId = upload(store, "message.eml", { content: "2" });
  const files = [{ ...file("invoice.txt"), contentHash: "f".repeat(64) } as NewContainedFile];
  store.write("finishFile", { jobId, docType: "email", tags: [], chunks: [draft("message")], files });
  const [other] = ingestFiles(store);
  assertEquals(other?.outcome, "created");
  assertEquals(store.document(Number(kept!.document_id)).parent_id, first);
  assertEquals(store.document(Number(other!.document_id)).parent_id, second);
});

Deno.test("attachments go to the trash with their message, and return with it", async () => {
  await using store = await TestStore.open();
  const id = message(store, upload(store, "a.eml"), "a.txt", "shared.txt", "own.txt");
  const [a, shared] = ingestFiles(store).map(({ document_id }) => Number(document_id));
  const other = message(store, upload(store, "b.eml"), "shared.txt");
  ingestFiles(store);
  upload(store, "own.txt", { content: "own.txt" });
  store.write("releaseFile", Number(listJobs(store.db, { limit: 1 }).jobs[0]!.job_id));
  ingestFiles(store);
  const trash = () =>
    listTrash(store.db, { limit: 10, trashDays: 30 }).documents.map(({ document_id }) => Number(document_id))
      .sort();
  store.write("deleteDocument", id);
  assertEquals(trash(), [id, a]);
  assertEquals(store.document(shared!).parent_id, other);
  store.write("restoreDocument", id, {});
  assertEquals(trash(), []);
  assertEquals(store.document(id).attachments?.length, 3);
  store.write("deleteDocument", other);
  assertEquals(trash(), [other]);
  store.write("deleteDocument", id, { permanent: true });
  assertEquals(trash(), [other]);
  assertEquals(store.count("attachments"), 1);
  store.check();
});

Deno.test("cancelling an archive cancels its files", async () => {
  await using store = await TestStore.open();
  const id = upload(store, "a.zip");
  unpack(store, id, "a.txt", "b.txt", "c.txt");
  const { jobId } = store.write("claimFiles")[0]!;
  const cancelled = store.write("cancelJob", id);
  assertEquals(cancelled.running, [jobId]);
  assertEquals(cancelled.job.file_jobs, { cancelled: 3 });
  assertEquals(store.write("claimFiles"), []);
});

Deno.test("the start of the engine keeps the spooled files of an archive, once their jobs are stored", async () => {
  await using store = await TestStore.open();
  const id = upload(store, "a.zip");
  assertEquals([...spooledFiles(store.db)], ["a.zip"]);
  unpack(store, id, "a.txt", "b.txt");
  assertEquals([...spooledFiles(store.db)].sort(), ["spool-a.txt", "spool-b.txt"]);
});

Deno.test("jobs of a database without contained files belong to no archive", async () => {
  const path = await Deno.makeTempDir();
  const dir = await createDataDir(path);
  const now = () => "2026-01-01T00:00:00.000Z";
  const old = new DatabaseSync(dir.database);
  migrate(old, MIGRATIONS.slice(0, MIGRATIONS.findIndex(({ name }) => name === "contained_files")), now);
  old.exec(`INSERT INTO jobs (status, stage, progress, spool_file, content_hash, size_bytes, tags, created_at)
            VALUES ('queued', 'queued', 0, 'spool-1', 'x', 1, '[]', '${now()}')`);
  old.close();
  await using store = TestStore.over(dir);
  const { parent_job_id, file_jobs, status } = job(store, 1);
  assertEquals([parent_job_id, file_jobs, status], [undefined, undefined, "queued"]);
  assertEquals(store.write("claimFiles")[0]?.depth, 0);
});

Deno.test("the files of an accepted archive are queued over the maximum number of jobs, and count then", async () => {
  await using store = await TestStore.open({ maxQueuedJobs: 2 });
  const archive = { spoolFile: "zip", filename: "a.zip", contentHash: "zip", sizeBytes: 1, tags: [] };
  store.write("createJob", archive);
  const jobId = store.write("claimFiles")[0]!.jobId;
  const files = ["a.md", "b.md", "c.md"].map(file);
  store.write("finishArchive", { jobId, files });
  assertEquals(store.count("jobs WHERE status = 'queued'"), 3);
  const next = { ...archive, spoolFile: "next" };
  assertThrows(() => store.write("createJob", next), KnowledgeBaseError, "2 jobs are queued, the maximum");
  for (const _ of files.slice(1)) store.write("claimFiles");
  assertEquals(store.write("createJob", next).status, "queued");
});

Deno.test("jobs that are inside of each other, in a database that somebody has changed, can be read", async () => {
  await using store = await TestStore.open();
  const [a, b] = [upload(store, "a.zip"), upload(store, "b.zip")];
  store.db.exec(`UPDATE jobs SET parent_job_id = ${a + b} - id`);
  assertEquals(job(store, a).file_jobs, { processing: 2 });
  assertEquals(containedTotals(store.db, b).files, 2);
  store.write("finishFile", { jobId: b, docType: "text", tags: [], chunks: [draft("text")] });
});
