import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { Spool } from "../../src/engine/ingestion/spool.ts";
import { DataDirError, Engine } from "../../src/engine/mod.ts";
import { dataDirAt } from "../../src/engine/sqlite/store/mod.ts";
import { Writer } from "../../src/engine/sqlite/writer/mod.ts";
import { spawnWriter } from "../../src/engine/worker.ts";
import { EmbeddedEngine, formOf } from "../support/embedded_engine.ts";
import { engineOptions } from "../support/engine_options.ts";
import { samplePdf } from "../support/samples.ts";

Deno.test("a reopened engine has kept its data", async () => {
  await using engine = await EmbeddedEngine.open();
  const note = await engine.ingest({ text: "Kept across a restart" });
  await engine.reopen();
  assertEquals((await engine.call("getJob", { id: Number(note.job_id) })).body, note);
  const { body } = await engine.call("search", { body: { query: "restart" } });
  assertEquals(body.results[0].document_id, note.document_id);
});

Deno.test("queued jobs are processed after a restart", async () => {
  await using engine = await EmbeddedEngine.open();
  const accepted = await Promise.all([
    ...Array.from(
      { length: 30 },
      (_, i) => engine.call("createJob", { body: formOf({ text: `waiting ${i}` }) }),
    ),
    ...Array.from(
      { length: 3 },
      (_, i) => engine.call("createJob", { body: formOf({ file: new File([`file ${i}`], `${i}.txt`) }) }),
    ),
  ]);
  await engine.reopen();
  for (const { body } of accepted) assertEquals((await engine.jobEnd(body.job_id)).status, "done");
});

Deno.test("a data directory in use is rejected", async () => {
  await using engine = await EmbeddedEngine.open();
  await assertRejects(() => Engine.open(engineOptions(engine.dataDir)), DataDirError, "in use");
});

Deno.test("a spooled file without a job is removed at the next start", async () => {
  await using engine = await EmbeddedEngine.open();
  await Deno.writeTextFile(`${engine.dataDir}/spool/${crypto.randomUUID()}`, "left behind");
  await engine.reopen();
  assertEquals(engine.spooled(), []);
});

const UNREADABLE: [content: string, file: File, code: string, message: string][] = [
  [
    "an unsupported type",
    new File([Uint8Array.of(0, 1, 2, 255, 254, 0)], "x.bin"),
    "unsupported_type",
    "",
  ],
  ["a PDF without text", new File([samplePdf([""])], "scan.pdf"), "no_text", "text"],
  ["a damaged PDF", new File(["%PDF-1.7\ngarbage"], "broken.pdf"), "damaged", ""],
];
for (const [content, file, code, message] of UNREADABLE) {
  Deno.test(`${content} fails its job with ${code}, and the next file is extracted`, async () => {
    await using engine = await EmbeddedEngine.open();
    const job = await engine.ingest({ file });
    assertEquals([job.status, job.error_code, job.document_id, job.outcome], ["failed", code, null, null]);
    assertStringIncludes(job.error ?? "", message);
    assertMatch(job.error ?? "", /\w+ \w+/);
    assertEquals((await engine.ingest({ file: new File(["fine"], "fine.txt") })).status, "done");
  });
}

Deno.test("200 concurrent notes, edits and tag changes succeed", async () => {
  await using engine = await EmbeddedEngine.open();
  const ids = await Promise.all(Array.from({ length: 20 }, async (_, i) => {
    return Number((await engine.ingest({ text: `subject ${i}` })).document_id);
  }));
  const responses = await Promise.all(Array.from({ length: 200 }, (_, i) => {
    const id = ids[i % ids.length]!;
    return Promise.all([
      engine.call("createJob", { body: formOf({ text: `parallel ${i}`, tags: [`t${i % 7}`] }) }),
      engine.call("updateNote", { id, body: { text: `subject ${id}, edit ${i}` } }),
      engine.call("changeTags", { id, body: { add: [`tag${i}`], remove: [`tag${i - 20}`] } }),
      engine.call("search", { body: { query: "subject" } }),
    ]);
  }));
  assertEquals(new Set(responses.flat().map((response) => response.status)), new Set([200, 202]));
  const jobs = await Promise.all(responses.map(([job]) => engine.jobEnd(job.body.job_id)));
  assertEquals(jobs.filter((job) => job.outcome === "created").length, 200);
  assertEquals((await engine.call("listDocuments")).body.total, 220);
});

Deno.test("a closed engine rejects requests, and can be closed twice", async () => {
  await using engine = await EmbeddedEngine.open();
  await Promise.all([engine.close(), engine.close()]);
  for (const name of ["status", "listJobs"] as const) {
    const { status, body } = await engine.call(name);
    assertEquals([status, body.error.code], [503, "shutting_down"]);
  }
});

Deno.test("the only file is read again after its reader was killed", async () => {
  const dataDir = await Deno.makeTempDir();
  let id: number;
  {
    const chunk = { maxTokens: 320, overlapTokens: 48 };
    await using writer = await Writer.start({ dataDir, maxQueuedJobs: 1, chunk, spawn: spawnWriter });
    const bytes = new TextEncoder().encode("Boil the water.");
    const { name: spoolFile, sha256: contentHash, sizeBytes } = await new Spool(dataDirAt(dataDir).spool)
      .write(ReadableStream.from([bytes]));
    const job = { spoolFile, filename: "a.txt", contentHash, sizeBytes, tags: [] };
    id = Number((await writer.call("createJob", job)).job_id);
    await writer.call("claimFiles");
  }
  await using engine = await EmbeddedEngine.over(dataDir);
  assertEquals((await engine.jobEnd(id)).status, "done");
});

Deno.test("every accepted job is done exactly once after kill -9 and a restart", async () => {
  const dataDir = await Deno.makeTempDir();
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", new URL("../support/engine_process.ts", import.meta.url).href, dataDir],
    stdout: "piped",
  }).spawn();
  // The child prints the id of each accepted job.
  let accepted = "";
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    accepted += text;
    if (accepted.split("\n").length > 200) {
      child.kill("SIGKILL");
      break;
    }
  }
  await child.status;
  const ids = accepted.split("\n").slice(0, -1).map(Number);
  {
    await using engine = await EmbeddedEngine.over(dataDir);
    const documents = new Set<unknown>();
    for (const id of ids) {
      const job = await engine.jobEnd(id);
      assertEquals([job.status, job.outcome], ["done", "created"]);
      documents.add(job.document_id);
    }
    assertEquals(documents.size, ids.length);
  }
});
