import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ExtractorPool } from "../../../src/engine/ingestion/extractor_pool.ts";
import { Scheduler } from "../../../src/engine/ingestion/scheduler.ts";
import { Spool } from "../../../src/engine/ingestion/spool.ts";
import { dataDirAt, getJob, openForReading, spooledFiles } from "../../../src/engine/sqlite/store/mod.ts";
import { KnowledgeBaseError } from "../../../src/engine/knowledge_base/mod.ts";
import { ingestionQueue } from "../../../src/engine/sqlite/sqlite_knowledge_base.ts";
import { Writer } from "../../../src/engine/sqlite/writer/mod.ts";
import { createLogger, silentLogger } from "../../../src/telemetry/mod.ts";
import { writeNewDatabase } from "../../support/new_database.ts";
import { pooledThreads } from "../../support/pooled_threads.ts";
import { fakeCommand } from "./fake_process.ts";

const CHUNK = { maxTokens: 320, overlapTokens: 48 };

/** A store, a spool and a scheduler over a temporary directory, with a fake extraction process. */
class Fixture implements AsyncDisposable {
  readonly logged: string[] = [];
  readonly spool: Spool;
  readonly scheduler: Scheduler;
  /** Called before each write; may throw or delay it. */
  onWrite: (op: string) => void | Promise<void> = () => {};
  #resources: AsyncDisposableStack;

  private constructor(
    readonly dataDir: string,
    readonly writer: Writer,
    resources: AsyncDisposableStack,
    concurrency: number,
  ) {
    this.#resources = resources;
    this.spool = new Spool(dataDirAt(dataDir).spool);
    const extractors = resources.use(
      new ExtractorPool({
        command: fakeCommand(),
        largeCommand: fakeCommand("large"),
        concurrency,
        timeoutMs: 300_000,
        log: silentLogger,
      }),
    );
    const call: Writer["call"] = async (op, ...args) => {
      await this.onWrite(op);
      return await writer.call(op, ...args);
    };
    const db = resources.adopt(openForReading(dataDirAt(dataDir)), (each) => each.close());
    const queue = ingestionQueue({ write: call, read: (work) => Promise.try(work, db) });
    const log = createLogger("info", { write: (line) => this.logged.push(line) });
    const { spool } = this;
    this.scheduler = resources.use(
      new Scheduler({
        queue,
        spool,
        extractors,
        chunk: CHUNK,
        maxFileBytes: 1000,
        log,
        maxDiskFullDelayMs: 1,
        reportAfterMs: 0,
      }),
    );
  }

  static async open({ concurrency = 1 } = {}): Promise<Fixture> {
    const resources = new AsyncDisposableStack();
    const dataDir = resources.adopt(await Deno.makeTempDir(), (dir) => Deno.remove(dir, { recursive: true }));
    writeNewDatabase(dataDir);
    const writer = resources.use(
      await Writer.start({ dataDir, maxQueuedJobs: 100, chunk: CHUNK, spawn: pooledThreads.writer }),
    );
    return new Fixture(dataDir, writer, resources, concurrency);
  }

  async note(text: string): Promise<number> {
    const contentHash = text.padEnd(64, "0");
    return Number(
      (await this.writer.call("createJob", { text, contentHash, sizeBytes: 1, tags: [] })).job_id,
    );
  }

  async file(filename: string, options: { sourcePath?: string; sizeBytes?: number } = {}): Promise<number> {
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
      ...options,
    });
    return Number(job_id);
  }

  /** Names of the files in the spool. */
  async spooled(): Promise<string[]> {
    return (await Array.fromAsync(Deno.readDir(dataDirAt(this.dataDir).spool))).map(({ name }) => name);
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
    return this.#resources.disposeAsync();
  }
}

Deno.test("Scheduler: notes do not wait for a slow file", async () => {
  await using fixture = await Fixture.open();
  const slow = await fixture.file("hang");
  fixture.scheduler.wakeFiles();
  await fixture.until(slow, "processing");
  const note = await fixture.note("quick");
  fixture.scheduler.wakeNotes();
  await fixture.until(note, "done");
  await fixture.until(slow, "processing");
});

Deno.test("Scheduler: one wake processes all queued notes and files, and empties the spool", async () => {
  await using fixture = await Fixture.open();
  const notes = await Promise.all(Array.from({ length: 90 }, (_, i) => fixture.note(`note ${i}`)));
  const files = [await fixture.file("a"), await fixture.file("b")];
  fixture.scheduler.wakeNotes();
  fixture.scheduler.wakeFiles();
  for (const id of [...notes, ...files]) await fixture.until(id, "done");
  await fixture.scheduler[Symbol.asyncDispose]();
  assertEquals(await fixture.spool.sweep(new Set()), 0);
});

Deno.test("Scheduler: an error of the store is logged and the batch retried", async () => {
  await using fixture = await Fixture.open();
  let failures = 2;
  fixture.onWrite = () => {
    if (failures-- > 0) throw new KnowledgeBaseError("internal", "disk error");
  };
  const note = await fixture.note("retried");
  fixture.scheduler.wakeNotes();
  await fixture.until(note, "done");
  assertEquals(fixture.logged.filter((line) => line.includes("failed to ingest notes")).length, 2);
});

Deno.test("Scheduler: progress is dropped while an earlier one is being stored", async () => {
  await using fixture = await Fixture.open();
  const finished = Promise.withResolvers<void>();
  let reports = 0;
  fixture.onWrite = (op) => {
    if (op === "finishFile") finished.resolve();
    if (op !== "reportProgress") return;
    reports++;
    return finished.promise;
  };
  const file = await fixture.file("much progress");
  fixture.scheduler.wakeFiles();
  await fixture.until(file, "done");
  assertEquals(reports, 1);
});

Deno.test("Scheduler: storing a document is retried while the disk is full", async () => {
  await using fixture = await Fixture.open();
  let failures = 3;
  fixture.onWrite = (op) => {
    if (op === "finishFile" && failures-- > 0) throw new KnowledgeBaseError("storage_full", "full");
  };
  const file = await fixture.file("a");
  fixture.scheduler.wakeFiles();
  const job = await fixture.until(file, "done", "failed");
  assertEquals([job.status, job.outcome], ["done", "created"]);
  assertEquals(fixture.logged.filter((line) => line.includes("ingestion resumes")).length, 3);
});

Deno.test("Scheduler: an internal error of the store fails the job without details", async () => {
  await using fixture = await Fixture.open();
  fixture.onWrite = (op) => {
    if (op === "finishFile") throw new KnowledgeBaseError("internal", "SELECT secret");
  };
  const file = await fixture.file("a");
  fixture.scheduler.wakeFiles();
  const job = await fixture.until(file, "failed");
  assertEquals(job.error_code, "internal");
  assertStringIncludes(job.error ?? "", "could not be stored");
  assertEquals(job.error?.includes("SELECT"), false);
});

Deno.test("Scheduler: a file in progress is requeued on shutdown", async () => {
  await using fixture = await Fixture.open();
  const file = await fixture.file("hang");
  fixture.scheduler.wakeFiles();
  await fixture.until(file, "processing");
  await fixture.scheduler[Symbol.asyncDispose]();
  const db = openForReading(dataDirAt(fixture.dataDir));
  assertEquals(spooledFiles(db).size, 1);
  assertEquals(await fixture.spool.sweep(spooledFiles(db)), 0);
  // A shutdown does not count as an attempt.
  const job = db.prepare("SELECT status, attempts, started_at FROM jobs WHERE id = ?").get(file);
  assertEquals({ ...job }, { status: "queued", attempts: 0, started_at: null });
  db.close();
});

Deno.test("Scheduler: a spooled file that cannot be removed is logged, and the next start sweeps it", async () => {
  await using fixture = await Fixture.open();
  const first = await fixture.file("a");
  const [entry] = await Array.fromAsync(Deno.readDir(dataDirAt(fixture.dataDir).spool));
  const path = fixture.spool.path(entry?.name ?? "");
  fixture.onWrite = async (op) => {
    if (op !== "finishFile") return;
    fixture.onWrite = () => {};
    // A directory with contents cannot be removed as a file.
    await Deno.remove(path);
    await Deno.mkdir(`${path}/contents`, { recursive: true });
  };
  const second = await fixture.file("b");
  fixture.scheduler.wakeFiles();
  assertEquals((await fixture.until(first, "done", "failed")).status, "done");
  assertEquals((await fixture.until(second, "done", "failed")).status, "done");
  await fixture.scheduler[Symbol.asyncDispose]();
  assertEquals(fixture.logged.length, 1);
  assertMatch(
    fixture.logged[0] ?? "",
    new RegExp(`WARN  failed to remove spooled file job_id=${first} error=`),
  );

  await Deno.remove(path, { recursive: true });
  await Deno.writeTextFile(path, "a");
  const db = openForReading(dataDirAt(fixture.dataDir));
  assertEquals(await fixture.spool.sweep(spooledFiles(db)), 1);
  db.close();
});

Deno.test("Scheduler: files are read in parallel, but only one large file at a time", async () => {
  await using fixture = await Fixture.open({ concurrency: 2 });
  const large = await fixture.file("hang", { sizeBytes: 10 * 2 ** 20 });
  fixture.scheduler.wakeFiles();
  await fixture.until(large, "processing");
  const next = await fixture.file("large", { sizeBytes: 10 * 2 ** 20 });
  const small = await fixture.file("small");
  fixture.scheduler.wakeFiles();
  await fixture.until(small, "done");
  await fixture.until(next, "queued");
  await fixture.scheduler.cancel(large);
  await fixture.until(next, "done");
});

Deno.test("Scheduler: files with the same source_path replace each other in the order of their acceptance", async () => {
  await using fixture = await Fixture.open({ concurrency: 4 });
  const ids = [];
  for (let i = 0; i < 12; i++) ids.push(await fixture.file(`version ${i}`, { sourcePath: "p" }));
  fixture.scheduler.wakeFiles();
  const versions = [];
  for (const id of ids) versions.push((await fixture.until(id, "done", "failed")).restorable_version ?? 0);
  assertEquals(versions, ids.map((_, i) => i));
});

Deno.test("Scheduler: cancelling a file ends its process, and a retry reads it again", async () => {
  await using fixture = await Fixture.open();
  const file = await fixture.file("hang");
  const next = await fixture.file("next");
  fixture.scheduler.wakeFiles();
  await fixture.until(file, "processing");
  assertEquals((await fixture.scheduler.cancel(file)).status, "cancelled");
  await fixture.until(next, "done");
  assertEquals((await fixture.scheduler.retry(file)).status, "queued");
  await fixture.until(file, "processing");
  assertEquals(fixture.logged, []);
});

Deno.test("Scheduler: a cancelled file leaves no document, even while its result waits for the disk", async () => {
  await using fixture = await Fixture.open();
  fixture.onWrite = (op) => {
    if (op === "finishFile") throw new KnowledgeBaseError("storage_full", "full");
  };
  const file = await fixture.file("a");
  fixture.scheduler.wakeFiles();
  await fixture.until(file, "processing");
  await fixture.scheduler.cancel(file);
  fixture.onWrite = () => {};
  const next = await fixture.file("b");
  fixture.scheduler.wakeFiles();
  assertEquals((await fixture.until(next, "done")).document_id, 1);
});

Deno.test("Scheduler: a small file that needs much memory is read again as a large one", async () => {
  await using fixture = await Fixture.open({ concurrency: 2 });
  const file = await fixture.file("exhaust small");
  fixture.scheduler.wakeFiles();
  assertEquals((await fixture.until(file, "done", "failed")).status, "done");
});

Deno.test("Scheduler: the files of an archive are spooled, queued and ingested", async () => {
  await using fixture = await Fixture.open();
  const id = await fixture.file("archive");
  fixture.scheduler.wakeFiles();
  const archive = await fixture.until(id, "done");
  assertEquals([archive.outcome, archive.document_id], ["unpacked", null]);
  await fixture.until(id + 1, "done");
  await fixture.until(id + 2, "done");
  const files = await Promise.all([1, 2, 3].map((n) => fixture.until(id + n, "done", "failed")));
  assertEquals(files.map(({ source_path, error }) => [source_path, error]), [
    ["archive/a.txt", null],
    ["archive/a (2).txt", null],
    ["archive/c", "It is damaged"],
  ]);
  await fixture.scheduler[Symbol.asyncDispose]();
  assertEquals(await fixture.spooled(), []);
});

Deno.test("Scheduler: an archive waits until the files of others are read, so that archives cannot fill the disk", async () => {
  await using fixture = await Fixture.open();
  const [first, second] = [await fixture.file("first bomb"), await fixture.file("second bomb")];
  const writes: string[] = [];
  fixture.onWrite = async (op) => {
    writes.push(op);
    // The second archive is started when the files of the first one wait.
    if (op === "claimFiles" && writes.filter((each) => each === op).length === 2) {
      await fixture.until(first, "done");
    }
  };
  fixture.scheduler.wakeFiles();
  assertEquals((await fixture.until(second, "done")).outcome, "unpacked");
  // They end in any order.
  for (let n = 1; n <= 8; n++) await fixture.until(second + n, "done");
  assertEquals(writes.filter((op) => op === "postponeFile").length, 1);
  await fixture.scheduler[Symbol.asyncDispose]();
  assertEquals(await fixture.spooled(), []);
});

for (const how of ["damaged archive", "large contained file", "wrong contained size"]) {
  Deno.test(`Scheduler: an archive that fails (${how}) leaves no files`, async () => {
    await using fixture = await Fixture.open();
    const id = await fixture.file(how);
    fixture.scheduler.wakeFiles();
    await fixture.until(id, "failed");
    await fixture.scheduler[Symbol.asyncDispose]();
    // Its own file is kept for a retry.
    assertEquals((await fixture.spooled()).length, 1);
  });
}
