import { assert, assertEquals } from "@std/assert";
import { dataDirAt } from "../../../../src/engine/sqlite/store/data_dir.ts";
import { openForReading, spooledFiles } from "../../../../src/engine/sqlite/store/mod.ts";
import { openForWriting } from "../../../../src/engine/sqlite/store/open.ts";
import { CHUNK } from "../store/test_store.ts";
import { linesUntilKilled } from "./killed_child.ts";

/** Number of files in each archive. */
const FILES = 50;

/** Unpacks archives without end, and prints the job of each whose end was acknowledged. */
const CHILD = `
  const { Writer } = await import(WRITER);
  const { spawnWriter } = await import(WORKER);
  const options = { chunk: ${JSON.stringify(CHUNK)}, maxQueuedJobs: 1e9, spawn: spawnWriter };
  const writer = await Writer.start({ dataDir: DIR, ...options });
  for (let n = 0;; n++) {
    const job = { spoolFile: "archive-" + n, filename: n + ".zip", contentHash: "x", sizeBytes: 1, tags: [] };
    const { job_id } = await writer.call("createJob", job);
    while ((await writer.call("claimFiles"))[0].jobId !== job_id);
    const files = Array.from({ length: ${FILES} }, (_, i) => (
      { path: i + ".txt", spoolFile: job_id + "-" + i, contentHash: "x", sizeBytes: 1 }
    ));
    await writer.call("finishArchive", { jobId: job_id, files });
    Deno.stdout.writeSync(new TextEncoder().encode(job_id + "\\n"));
  }
`;

Deno.test("after kill -9 all files of an archive have jobs, or none, and acknowledged ones do", async () => {
  const path = await Deno.makeTempDir();
  try {
    const acknowledged = await linesUntilKilled({ code: CHILD, dataDir: path, lines: 5 });
    // Replays the log.
    openForWriting(dataDirAt(path), () => "2026-01-01T00:00:00.000Z").close();
    using db = openForReading(dataDirAt(path));
    const archives = db.prepare(
      `SELECT a.id, a.status, (SELECT count(*) FROM jobs WHERE parent_job_id = a.id) AS files
         FROM jobs a WHERE a.parent_job_id IS NULL`,
    ).all();
    for (const { id, status, files } of archives) {
      assertEquals(files, status === "done" ? FILES : 0);
      if (acknowledged.includes(String(id))) assertEquals(status, "done");
    }
    assert(acknowledged.every((line) => archives.some(({ id }) => String(id) === line)));
    // The start of the engine removes all other files of the spool.
    const unfinished = db.prepare("SELECT count(*) AS n FROM jobs WHERE status <> 'done'").get()?.n;
    assertEquals(spooledFiles(db).size, unfinished);
  } finally {
    await Deno.remove(path, { recursive: true });
  }
});
