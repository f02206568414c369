import { spawnWriter } from "../../../../src/engine/worker.ts";
import { assert, assertEquals } from "@std/assert";
import { dataDirAt } from "../../../../src/engine/sqlite/store/data_dir.ts";
import { getJob, listDocuments, openForReading } from "../../../../src/engine/sqlite/store/mod.ts";
import { Writer } from "../../../../src/engine/sqlite/writer/writer.ts";
import { CHUNK } from "../store/test_store.ts";
import { linesUntilKilled } from "./killed_child.ts";

/** Writes until it is killed, and prints the id of each acknowledged job. */
const CHILD = `
  const { Writer } = await import(WRITER);
  const { spawnWriter } = await import(WORKER);
  const writer = await Writer.start({ dataDir: DIR, chunk: ${
  JSON.stringify(CHUNK)
}, maxQueuedJobs: 1e6, spawn: spawnWriter });
  let n = 0;
  const client = async () => {
    for (;;) {
      const text = "note " + n++;
      const job = await writer.call("createJob", { text, contentHash: "", sizeBytes: text.length, tags: ["collection:memory"] });
      Deno.stdout.writeSync(new TextEncoder().encode(job.job_id + "\\n"));
    }
  };
  for (let i = 0; i < 8; i++) client();
  await writer.call("createJob", { spoolFile: "f", contentHash: "f", sizeBytes: 1, tags: [] });
  await writer.call("claimFiles");
  for (;;) await writer.call("ingestNotes", 16);
`;

Deno.test("after kill -9 every acknowledged job exists and ends exactly once", async () => {
  const path = await Deno.makeTempDir();
  try {
    const dir = dataDirAt(path);
    const acknowledged = (await linesUntilKilled({ code: CHILD, dataDir: path, lines: 300 })).map(Number);
    assert(acknowledged.length >= 300);
    await using writer = await Writer.start({
      dataDir: path,
      chunk: CHUNK,
      maxQueuedJobs: 1e6,
      spawn: spawnWriter,
    });
    const reader = openForReading(dir);
    const jobs = acknowledged.map((id) => getJob(reader, id));
    assertEquals(jobs.filter((job) => job?.status !== "done" && job?.status !== "queued"), []);
    while ((await writer.call("ingestNotes", 256)).queuedNotes > 0);
    assertEquals(acknowledged.filter((id) => getJob(reader, id)?.outcome !== "created"), []);
    const notes = Number(reader.prepare("SELECT count(*) AS n FROM jobs WHERE spool_file IS NULL").get()?.n);
    assertEquals(listDocuments(reader, { limit: 1 }).total, notes);
    const [claimed] = await writer.call("claimFiles");
    assertEquals(claimed?.spoolFile, "f");
    assertEquals(reader.prepare("PRAGMA integrity_check").get(), { integrity_check: "ok" });
    reader.close();
  } finally {
    await Deno.remove(path, { recursive: true });
  }
});
