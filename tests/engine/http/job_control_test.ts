import { assertEquals, assertMatch } from "@std/assert";
import { strToU8, zipSync } from "fflate";
import { EmbeddedEngine, formOf } from "../../support/embedded_engine.ts";

Deno.test("POST jobs/{id}/retry: a failed file is read again, under the same id", async () => {
  await using engine = await EmbeddedEngine.open();
  const { body } = await engine.call("createJob", {
    body: formOf({ file: new File(["%PDF-1.4 broken"], "a.pdf") }),
  });
  const id = Number(body.job_id);
  const failed = await engine.jobEnd(id);
  assertEquals([failed.status, failed.error_code], ["failed", "damaged"]);
  const { status, body: job } = await engine.call("retryJob", { id });
  assertEquals([status, job.job_id, job.error], [200, id, null]);
  assertEquals((await engine.jobEnd(id)).error_code, "damaged");
});

Deno.test("POST jobs/{id}/cancel and retry: an ended job is a conflict, an unknown one not found", async () => {
  await using engine = await EmbeddedEngine.open();
  const { job_id } = await engine.ingest({ text: "A note" });
  for (const name of ["cancelJob", "retryJob"] as const) {
    const ended = await engine.call(name, { id: Number(job_id) });
    assertEquals([ended.status, ended.body.error.code], [409, "conflict"]);
    assertMatch(ended.body.error.message, /got done$/);
    const unknown = await engine.call(name, { id: 99 });
    assertEquals([unknown.status, unknown.body.error.code], [404, "not_found"]);
  }
});

Deno.test("GET status: reports the limit of a text and the languages of OCR", async () => {
  await using engine = await EmbeddedEngine.open({ maxTextChars: 300_000 });
  const { body } = await engine.call("status");
  assertEquals(body.extraction, { max_text_chars: 300_000, ocr_languages: [] });
  const file = new File(["word ".repeat(70_000)], "long.txt");
  const { body: accepted } = await engine.call("createJob", { body: formOf({ file }) });
  const job = await engine.jobEnd(Number(accepted.job_id));
  assertEquals([job.error_code, job.error?.includes("300,000 characters")], ["too_large", true]);
});

Deno.test("the retry of a job whose file is gone says so, and is not offered again", async () => {
  await using engine = await EmbeddedEngine.open({ extractConcurrency: 0 });
  const { body } = await engine.call("createJob", {
    body: formOf({ file: new File(["The kettle is red."], "kettle.csv") }),
  });
  const id = Number(body.job_id);
  await engine.call("cancelJob", { id });
  // As after a restore of a backup, which does not contain the file.
  for (const name of engine.spooled()) await Deno.remove(`${engine.dataDir}/spool/${name}`);
  await engine.reopen();
  assertEquals((await engine.call("retryJob", { id })).status, 200);
  const { status, error, error_code } = await engine.jobEnd(id);
  assertEquals([status, error_code], ["failed", "missing_file"]);
  assertMatch(error ?? "", /^Cannot read kettle\.csv: it is no longer in the data directory.* Add it again$/);
  const again = await engine.call("retryJob", { id });
  assertEquals([again.status, again.body.error.code], [409, "conflict"]);
  assertMatch(again.body.error.message, /no longer kept for a retry/);
});

Deno.test("GET jobs/{id}?wait_ms: responds when the job has ended", async () => {
  await using engine = await EmbeddedEngine.open({ extractConcurrency: 0 });
  const { body } = await engine.call("createJob", {
    body: formOf({ file: new File(["The kettle is red."], "kettle.csv") }),
  });
  const id = Number(body.job_id);
  const waiting = engine.call("getJob", { id, query: { wait_ms: "30000" } });
  const soon = await engine.call("getJob", { id, query: { wait_ms: "1" } });
  assertEquals(soon.body.status, "queued");
  await engine.call("cancelJob", { id });
  assertEquals((await waiting).body.status, "cancelled");
  const invalid = await engine.call("getJob", { id, query: { wait_ms: "30001" } });
  assertEquals([invalid.status, invalid.body.error.code], [400, "invalid"]);
});

Deno.test("GET jobs/{id}?wait_ms: a note, and all files of an archive", async () => {
  await using engine = await EmbeddedEngine.open();
  const wait = { wait_ms: "30000" };
  const note = await engine.call("createJob", { body: formOf({ text: "A kettle" }) });
  assertEquals(
    (await engine.call("getJob", { id: note.body.job_id, query: wait })).body.outcome,
    "created",
  );
  const file = new File([zipSync({ "a.txt": strToU8("One."), "b.txt": strToU8("Two.") })], "both.zip");
  const archive = await engine.call("createJob", { body: formOf({ file }) });
  const { body } = await engine.call("getJob", { id: archive.body.job_id, query: wait });
  assertEquals([body.outcome, body.file_jobs], ["unpacked", { done: 2 }]);
});

Deno.test("the engine closes while a request waits for a job", async () => {
  await using engine = await EmbeddedEngine.open({ extractConcurrency: 0 });
  const { body } = await engine.call("createJob", { body: formOf({ file: new File(["Red."], "a.csv") }) });
  const waiting = engine.call("getJob", { id: Number(body.job_id), query: { wait_ms: "30000" } });
  await engine.close();
  assertEquals((await waiting).body.status, "queued");
});
