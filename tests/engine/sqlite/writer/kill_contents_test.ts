import { assert, assertEquals } from "@std/assert";
import { dataDirAt } from "../../../../src/engine/sqlite/store/data_dir.ts";
import { getDocument, openForReading, readStatus } from "../../../../src/engine/sqlite/store/mod.ts";
import { Searcher } from "../../../../src/engine/sqlite/search/mod.ts";
import { Writer } from "../../../../src/engine/sqlite/writer/writer.ts";
import { spawnWriter } from "../../../../src/engine/worker.ts";
import { CHUNK } from "../store/test_store.ts";
import { linesUntilKilled } from "./killed_child.ts";

/** Stores a note, writes the slices of a file without end, and prints the number of each acknowledged slice. */
const CHILD = `
  const { Writer } = await import(WRITER);
  const { spawnWriter } = await import(WORKER);
  const writer = await Writer.start({ dataDir: DIR, chunk: ${
  JSON.stringify(CHUNK)
}, maxQueuedJobs: 10, spawn: spawnWriter });
  await writer.call("createJob", { text: "zebra", contentHash: "z", sizeBytes: 5, tags: [] });
  await writer.call("ingestNotes", 1);
  await writer.call("createJob", { spoolFile: "f", contentHash: "f", sizeBytes: 1, tags: [] });
  const [{ jobId }] = await writer.call("claimFiles");
  const place = { headingPath: [], charStart: 0, charEnd: 6, lineStart: 1, lineEnd: 1 };
  const chunks = Array.from({ length: 20 }, () => ({ text: "quagga", ...place }));
  let contentId;
  for (let slice = 0;; slice++) {
    contentId = await writer.call("stageChunks", { jobId, contentId, title: "book", position: 20 * slice, chunks });
    Deno.stdout.writeSync(new TextEncoder().encode(slice + "\\n"));
  }
`;

Deno.test("after kill -9 between the slices of a text nothing of it is found, and all of it is removed", async () => {
  const path = await Deno.makeTempDir();
  try {
    const slices = await linesUntilKilled({ code: CHILD, dataDir: path, lines: 10 });
    assert(slices.length >= 10);
    {
      using db = openForReading(dataDirAt(path));
      const searcher = new Searcher({ db });
      assertEquals([(await searcher.search({ query: "quagga" })).total, readStatus(db).chunks], [0, 1]);
    }
    await using writer = await Writer.start({
      dataDir: path,
      chunk: CHUNK,
      maxQueuedJobs: 10,
      spawn: spawnWriter,
    });
    // The job is attempted again, while the chunks of the first attempt are removed.
    const jobId = (await writer.call("claimFiles"))[0]?.jobId ?? NaN;
    const chunk = { text: "okapi", headingPath: [], charStart: 0, charEnd: 5, lineStart: 1, lineEnd: 1 };
    const chunks = [{ ...chunk, pageStart: undefined, pageEnd: undefined }];
    await writer.call("finishFile", { jobId, docType: "text", tags: [], chunks });
    using db = openForReading(dataDirAt(path));
    const count = (table: string) => Number(db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n);
    while (count("chunks") > 2 || count("contents") > 0) {
      await writer.call("reportProgress", jobId, { stage: "x", progress: 0 });
    }
    assertEquals(getDocument(db, 2)?.chunks?.map(({ text }) => text), ["okapi"]);
    assertEquals(db.prepare("PRAGMA integrity_check").get(), { integrity_check: "ok" });
  } finally {
    await Deno.remove(path, { recursive: true });
  }
});
