import { Worker } from "node:worker_threads";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { Extractor } from "../../../src/engine/ingestion/extractor.ts";
import { Scheduler } from "../../../src/engine/ingestion/scheduler.ts";
import { Spool } from "../../../src/engine/ingestion/spool.ts";
import { dataDirAt, getJob, openForReading, spooledFiles } from "../../../src/engine/sqlite/store/mod.ts";
import { KnowledgeBaseError } from "../../../src/engine/knowledge_base/mod.ts";
import { ingestionQueue } from "../../../src/engine/sqlite/sqlite_knowledge_base.ts";
import { Writer } from "../../../src/engine/sqlite/writer/mod.ts";
import { spawnWriter } from "../../../src/engine/worker.ts";
import { createLogger } from "../../../src/telemetry/mod.ts";

/** A thread that makes a document of every file but the ones that are called "hang". */
const THREAD = `
  const { parentPort } = require("node:worker_threads");
  parentPort.on("message", ({ filename }) => {
    if (filename === "hang") for (;;);
    const place = { headingPath: [], charStart: 0, charEnd: 1, lineStart: 1, lineEnd: 1 };
    const chunks = [{ ...place, text: "x", pageStart: undefined, pageEnd: undefined }];
    parentPort.postMessage({ kind: "done", extracted: { docType: "text", tags: [], chunks } });
  });
  parentPort.postMessage({ kind: "ready" });
`;
const CHUNK = { maxTokens: 320, overlapTokens: 48 };

/** A store, a spool and a scheduler over a temporary directory; the extraction alone is made up. */
class Rig implements AsyncDisposable {
  readonly logged: string[] = [];
  readonly spool: Spool;
  readonly scheduler: Scheduler;
  /** Throws for a write that is to fail. */
  onWrite: (op: string) => void = () => {};
  #undo: AsyncDisposableStack;

  private constructor(readonly dataDir: string, readonly writer: Writer, undo: AsyncDisposableStack) {
    this.#undo = undo;
    this.spool = new Spool(dataDirAt(dataDir).spool);
    const spawn = () => Promise.resolve(new Worker(THREAD, { eval: true }));
    const extractor = new Extractor(spawn, { timeoutMs: 300_000 });
    const call: Writer["call"] = async (op, ...args) => {
      this.onWrite(op);
      return await writer.call(op, ...args);
    };
    const db = undo.adopt(openForReading(dataDirAt(dataDir)), (each) => each.close());
    const queue = ingestionQueue({ call }, db);
    const log = createLogger("info", (line) => this.logged.push(line));
    const { spool } = this;
    this.scheduler = undo.use(
      new Scheduler({ queue, spool, extractor, chunk: CHUNK, log, diskFullPauseMs: 1 }),
    );
  }

  static async open(): Promise<Rig> {
    const undo = new AsyncDisposableStack();
    const dataDir = undo.adopt(await Deno.makeTempDir(), (dir) => Deno.remove(dir, { recursive: true }));
    const writer = undo.use(
      await Writer.start({ dataDir, maxQueuedJobs: 100, chunk: CHUNK, spawn: spawnWriter }),
    );
    return new Rig(dataDir, writer, undo);
  }

  async note(text: string): Promise<number> {
    const contentHash = text.padEnd(64, "0");
    return Number(
      (await this.writer.call("createJob", { text, contentHash, sizeBytes: 1, tags: [] })).job_id,
    );
  }

  async file(filename: string): Promise<number> {
    const bytes = new TextEncoder().encode(filename);
    const { name: spoolFile, sha256: contentHash, sizeBytes } = await this.spool.write(
      ReadableStream.from([bytes]),
    );
    const { job_id } = await this.writer.call("createJob", {
      spoolFile,
      filename,
      contentHash,
      sizeBytes,
      tags: [],
    });
    return Number(job_id);
  }

  async until(id: number, ...statuses: string[]) {
    const db = openForReading(dataDirAt(this.dataDir));
    try {
      for (;;) {
        const job = getJob(db, id);
        assert(job);
        if (statuses.includes(job.status)) return job;
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    } finally {
      db.close();
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#undo.disposeAsync();
  }
}

Deno.test("Scheduler: notes do not wait behind a file that takes its time", async () => {
  await using rig = await Rig.open();
  const slow = await rig.file("hang");
  rig.scheduler.wakeFiles();
  await rig.until(slow, "processing");
  const note = await rig.note("quick");
  rig.scheduler.wakeNotes();
  await rig.until(note, "done");
  await rig.until(slow, "processing");
});

Deno.test("Scheduler: one wake takes all notes and files that wait, and frees the spool", async () => {
  await using rig = await Rig.open();
  const notes = await Promise.all(Array.from({ length: 90 }, (_, i) => rig.note(`note ${i}`)));
  const files = [await rig.file("a"), await rig.file("b")];
  rig.scheduler.wakeNotes();
  rig.scheduler.wakeFiles();
  for (const id of [...notes, ...files]) await rig.until(id, "done");
  await rig.scheduler[Symbol.asyncDispose]();
  assertEquals(await rig.spool.sweep(new Set()), 0);
});

Deno.test("Scheduler: a failure of the store is logged, and the work goes on", async () => {
  await using rig = await Rig.open();
  let failures = 2;
  rig.onWrite = () => {
    if (failures-- > 0) throw new KnowledgeBaseError("internal", "no luck");
  };
  const note = await rig.note("stubborn");
  rig.scheduler.wakeNotes();
  await rig.until(note, "done");
  assertEquals(rig.logged.filter((line) => line.includes("ingesting notes failed")).length, 2);
});

Deno.test("Scheduler: a full disk at the end of a file is waited out, and nothing is lost", async () => {
  await using rig = await Rig.open();
  let failures = 3;
  rig.onWrite = (op) => {
    if (op === "finishFile" && failures-- > 0) throw new KnowledgeBaseError("storage_full", "full");
  };
  const file = await rig.file("a");
  rig.scheduler.wakeFiles();
  const job = await rig.until(file, "done", "failed");
  assertEquals([job.status, job.outcome], ["done", "created"]);
  assertEquals(rig.logged.filter((line) => line.includes("the disk is full")).length, 3);
});

Deno.test("Scheduler: a document that the store refuses fails its job, with no detail of an internal error", async () => {
  await using rig = await Rig.open();
  rig.onWrite = (op) => {
    if (op === "finishFile") throw new KnowledgeBaseError("internal", "SELECT secret");
  };
  const file = await rig.file("a");
  rig.scheduler.wakeFiles();
  const job = await rig.until(file, "failed");
  assertEquals(job.error_code, "internal");
  assertStringIncludes(job.error ?? "", "could not be stored");
  assertEquals(job.error?.includes("SELECT"), false);
});

Deno.test("Scheduler: a file given up at the end is kept with its job", async () => {
  await using rig = await Rig.open();
  const file = await rig.file("hang");
  rig.scheduler.wakeFiles();
  await rig.until(file, "processing");
  await rig.scheduler[Symbol.asyncDispose]();
  const db = openForReading(dataDirAt(rig.dataDir));
  assertEquals(spooledFiles(db).size, 1);
  assertEquals(await rig.spool.sweep(spooledFiles(db)), 0);
  // The stop was none of the file's doing, so that any number of them is no reason to give it up.
  const job = db.prepare("SELECT status, attempts, started_at FROM jobs WHERE id = ?").get(file);
  assertEquals({ ...job }, { status: "queued", attempts: 0, started_at: null });
  db.close();
});
