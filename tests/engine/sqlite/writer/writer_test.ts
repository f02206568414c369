import { spawnWriter } from "../../../../src/engine/worker.ts";
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { dataDirAt, DataDirError } from "../../../../src/engine/sqlite/store/data_dir.ts";
import { getJob, listDocuments, openForReading } from "../../../../src/engine/sqlite/store/mod.ts";
import { KnowledgeBaseError } from "../../../../src/engine/knowledge_base/mod.ts";
import { Writer, type WriterOptions } from "../../../../src/engine/sqlite/writer/writer.ts";
import { serve } from "../../../../src/engine/sqlite/writer/thread.ts";
import { CHUNK, namesIn, sha256 } from "../store/test_store.ts";

const note = (text: string) => ({ text, contentHash: sha256(text), sizeBytes: text.length, tags: [] });

async function tempDir() {
  const path = await Deno.makeTempDir();
  return { ...dataDirAt(path), [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

function start(dataDir: string, options: Partial<WriterOptions> = {}) {
  return Writer.start({ dataDir, chunk: CHUNK, maxQueuedJobs: 100_000, spawn: spawnWriter, ...options });
}

Deno.test("a completed write can be read on another connection", async () => {
  await using dir = await tempDir();
  await using writer = await start(dir.path);
  const reader = openForReading(dir);
  const job = await writer.call("createJob", note("Hello\nworld"));
  assertEquals(getJob(reader, Number(job.job_id))?.status, "queued");
  await writer.call("ingestNotes", 1);
  assertEquals(listDocuments(reader, { limit: 1 }).documents[0]?.title, "Hello");
  reader.close();
});

Deno.test("a writer that cannot recover leaves no lock", async () => {
  await using dir = await tempDir();
  await (await start(dir.path)).close();
  using db = new DatabaseSync(dir.database);
  db.exec("ALTER TABLE contents RENAME TO lost; PRAGMA busy_timeout = 0");
  const failed = Promise.withResolvers<void>();
  serve({
    onMessage: (listener) =>
      listener({ type: "open", settings: { dataDir: dir.path, chunk: CHUNK, maxQueuedJobs: 9 } }),
    post: (message) => (message as { type: string }).type === "openFailed" && failed.resolve(),
  });
  await failed.promise;
  db.exec("BEGIN IMMEDIATE");
});

Deno.test("thousands of concurrent calls get their own results, in order", async () => {
  await using dir = await tempDir();
  await using writer = await start(dir.path);
  const calls = Array.from(
    { length: 3000 },
    (_, i) => writer.call("createJob", { ...note(`n${i}`), title: `t${i}` }),
  );
  const jobs = await Promise.all(calls);
  assertEquals(jobs.map((job) => [job.job_id, job.title]), jobs.map((_, i) => [i + 1, `t${i}`]));
});

Deno.test("a failed call rejects with its code and message, and others in its group do not", async () => {
  await using dir = await tempDir();
  await using writer = await start(dir.path);
  const results = await Promise.allSettled([
    writer.call("createJob", note("one")),
    writer.call("deleteDocument", 5),
    writer.call("createJob", note("two")),
  ]);
  assertEquals(results.map((each) => each.status), ["fulfilled", "rejected", "fulfilled"]);
  const error = await assertRejects(
    () => writer.call("updateNote", 5, { text: "x" }),
    KnowledgeBaseError,
    "There is no document 5",
  );
  assertEquals(error.code, "not_found");
});

Deno.test("calls beyond the maximum are rejected as busy", async () => {
  await using dir = await tempDir();
  await using writer = await start(dir.path, { maxCalls: 10 });
  const results = await Promise.allSettled(
    Array.from({ length: 15 }, (_, i) => writer.call("createJob", note(`n${i}`))),
  );
  assertEquals(results.filter((each) => each.status === "fulfilled").length, 10);
  const refused = results.at(-1);
  assert(refused?.status === "rejected" && refused.reason instanceof KnowledgeBaseError);
  assertEquals(refused.reason.code, "queue_full");
  assertEquals((await writer.call("createJob", note("later"))).status, "queued");
});

Deno.test("an argument that cannot be cloned fails its call, and the next call works", async () => {
  await using dir = await tempDir();
  await using writer = await start(dir.path);
  const hostile = { ...note("x"), title: (() => {}) as unknown as string };
  assertEquals(
    (await assertRejects(() => writer.call("createJob", hostile), KnowledgeBaseError)).code,
    "internal",
  );
  assertEquals((await writer.call("createJob", note("y"))).job_id, 1);
});

Deno.test("close completes pending calls, truncates the log, unlocks the directory and rejects later calls", async () => {
  await using dir = await tempDir();
  let groups = 0;
  const spawn = () => {
    const port = spawnWriter();
    const post = (message: unknown) => {
      if ((message as { type: string }).type === "request") groups++;
      port.post(message);
    };
    return { ...port, post };
  };
  const writer = await start(dir.path, { spawn, closeTimeoutMs: 600_000 });
  const calls = Array.from({ length: 1000 }, (_, i) => writer.call("createJob", note(`n${i}`)));
  const closed = writer.close();
  await assertRejects(() => writer.call("createJob", note("late")), KnowledgeBaseError, "closed");
  await closed;
  await writer.close();
  assertEquals((await Promise.all(calls)).length, 1000);
  assertEquals(groups, Math.ceil(1000 / 256));
  assertEquals((await Deno.stat(`${dir.database}-wal`)).size, 0);
  await using again = await start(dir.path);
  assertEquals((await again.call("createJob", note("more"))).job_id, 1001);
});

Deno.test("files share a commit up to a number of chunks", async () => {
  await using dir = await tempDir();
  const groups: number[] = [];
  const spawn = () => {
    const port = spawnWriter();
    return {
      ...port,
      post(message: unknown) {
        const { type, input } = message as { type: string; input: readonly unknown[] };
        if (type === "request") groups.push(input.length);
        port.post(message);
      },
    };
  };
  await using writer = await start(dir.path, { spawn });
  const prepared = { title: "", derivedTitle: "", language: null, stemmed: [], version: 0 };
  const add = (name: string, count: number) => {
    const chunks = Array.from({ length: count }, (_, line) => ({
      text: name,
      headingPath: [],
      charStart: 2 * line,
      charEnd: 2 * line + 1,
      lineStart: line + 1,
      lineEnd: line + 1,
      pageStart: undefined,
      pageEnd: undefined,
    }));
    const index = { ...prepared, chunks: chunks.map(() => ({ searchText: null, heading: "" })) };
    const file = { docType: "text", tags: [], chunks, prepared: index } as const;
    return writer.call("addFile", { ...note(name), filename: name }, file);
  };
  const jobs = await Promise.all([add("a", 200), add("b", 300), add("c", 200), add("d", 600), add("e", 1)]);
  assertEquals([jobs.map((job) => job?.status), groups], [jobs.map(() => "done"), [2, 1, 1, 1]]);
});

Deno.test("close rejects writes that exceed its timeout, and unlocks the directory", async () => {
  await using dir = await tempDir();
  const writer = await start(dir.path, { closeTimeoutMs: 0 });
  const call = writer.call("createJob", note("late"));
  const [result] = await Promise.allSettled([call, writer.close()]);
  assert(result.status === "rejected" && result.reason instanceof KnowledgeBaseError);
  assertEquals(result.reason.message, "The store was closed before the write was done");
  await using again = await start(dir.path);
  assertEquals((await again.call("createJob", note("more"))).job_id, 1);
});

Deno.test("a start removes the databases that stopped commands have left, unless it is refused", async () => {
  await using dir = await tempDir();
  await (await start(dir.path)).close();
  const left = ["repaired.db", "restored.db", "vacuumed.db"].map((name) => `kb.${name}.new`);
  left.push("kb.vacuumed.db.new-journal");
  const kept = ["kb.db.damaged-20260101T000000Z", "kb.db.replaced-20260101T000000Z"];
  // Backups of the operator, of which one is being written, and a database that was repaired by hand.
  kept.push("kb.repaired.db", "kb.restored.db", "kb.restored.db.partial");
  for (const name of [...left, ...kept]) await Deno.writeTextFile(`${dir.path}/${name}`, "left");
  const found = () => namesIn(dir.path).filter((name) => left.includes(name) || kept.includes(name));
  const database = await Deno.readFile(dir.database);
  await Deno.truncate(dir.database);
  await assertRejects(() => start(dir.path), DataDirError);
  assertEquals(found(), [...kept, ...left].sort());
  await Deno.writeFile(dir.database, database);
  await using _writer = await start(dir.path);
  assertEquals(found(), kept);
});

Deno.test("a second writer on the same directory is rejected", async () => {
  await using dir = await tempDir();
  await using _writer = await start(dir.path);
  await assertRejects(() => start(dir.path), DataDirError, "is in use by another kb-mcp process");
  // Closing a file releases all locks of a process on it (POSIX), which only another process can see.
  const script = `import { DatabaseSync } from "node:sqlite";
    new DatabaseSync(Deno.args[0]).exec("PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE");`;
  const other = new Deno.Command(Deno.execPath(), {
    args: ["eval", "--no-config", script, "--", `${dir.path}/lock.db`],
    env: { NO_COLOR: "1" },
  });
  assertMatch(new TextDecoder().decode((await other.output()).stderr), /database is locked/);
});

Deno.test("an unusable database is rejected with the reason, and the directory is unlocked", async () => {
  await using dir = await tempDir();
  await (await start(dir.path)).close();
  const newer = new DatabaseSync(dir.database);
  newer.exec("INSERT INTO schema_migrations VALUES ('from_the_future', '2099')");
  await assertRejects(() => start(dir.path), DataDirError, "newer kb-mcp");
  newer.exec("DELETE FROM schema_migrations WHERE name = 'from_the_future'");
  newer.close();
  await (await start(dir.path)).close();
});

Deno.test("an unexpected error in the thread fails pending and later calls, and close still works", async () => {
  await using dir = await tempDir();
  await using writer = await start(dir.path);
  // Not an operation. It returns a function, which cannot be cloned.
  const deadly = "__lookupGetter__" as unknown as "deleteDocument";
  const calls = [
    writer.call("createJob", note("one")),
    writer.call(deadly, "__proto__" as unknown as number),
  ];
  const results = await Promise.allSettled(calls);
  assertEquals(results.map((each) => each.status), ["rejected", "rejected"]);
  const error = await assertRejects(() => writer.call("claimFiles"), KnowledgeBaseError, "writer has failed");
  assertEquals(error.code, "internal");
});

Deno.test("a write after a thread that could not start starts another one", async () => {
  await using dir = await tempDir();
  let starts = 0;
  const spawn = () => {
    if (++starts === 1) throw new Error("disk I/O error");
    return spawnWriter();
  };
  await using writer = await start(dir.path, { spawn });
  const error = await assertRejects(() => writer.call("createJob", note("one")), KnowledgeBaseError);
  assertEquals([error.code, starts, writer.failure], ["storage_full", 1, undefined]);
  assertEquals((await writer.call("createJob", note("two"))).job_id, 1);
  assertEquals(starts, 2);
});

Deno.test("writes succeed while another connection reads", async () => {
  await using dir = await tempDir();
  await using writer = await start(dir.path);
  const reader = openForReading(dir);
  const rows = reader.prepare("SELECT * FROM jobs").iterate();
  for (let i = 0; i < 20; i++) {
    await writer.call("createJob", note(`n${i}`));
    rows.next();
    listDocuments(reader, { limit: 5 });
  }
  assertEquals(Number(reader.prepare("SELECT count(*) AS n FROM jobs").get()?.n) > 0, true);
  reader.close();
});

Deno.test("a write called before the thread runs is completed by close", async () => {
  await using dir = await tempDir();
  // Longer than a busy machine needs to start the thread.
  const writer = await start(dir.path, { closeTimeoutMs: 60_000 });
  const job = writer.call("createJob", note("early"));
  await writer.close();
  assertEquals((await job).status, "queued");
});

Deno.test("a writer without writes closes and unlocks the directory, with or without a thread", async () => {
  await using dir = await tempDir();
  for (const warm of [false, true, false]) {
    const writer = await start(dir.path);
    if (warm) writer.warmUp();
    await writer.close();
  }
});
