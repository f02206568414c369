import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { EngineClient, EngineError } from "../../src/client/mod.ts";
import { kbJobs } from "../../src/tools/kb_jobs.ts";
import { kbUploadChunk } from "../../src/tools/kb_upload_chunk.ts";
import { kbUploadFinish } from "../../src/tools/kb_upload_finish.ts";
import { kbUploadStart } from "../../src/tools/kb_upload_start.ts";
import { ToolError } from "../../src/tools/mod.ts";
import { openHarness } from "../support/harness.ts";
import { serveEngine } from "../support/serve_engine.ts";

Deno.test("kb_jobs with a wait returns the finished job", async () => {
  await using kb = await openHarness({ placement: "embedded", jobWaitMs: 0 });
  const bytes = new TextEncoder().encode("Tides\n=====\n\nHigh water is at noon.");
  const { upload_id } = await kb.call(kbUploadStart, { filename: "tides.rst", total_size: bytes.length });
  await kb.call(kbUploadChunk, { upload_id, chunk_index: 0, data: bytes.toBase64() });
  const { job_id, next } = await kb.call(kbUploadFinish, { upload_id });
  assertStringIncludes(next ?? "", "kb_jobs with this job_id and wait");
  const { jobs } = await kb.call(kbJobs, { job_id, wait: 50 });
  assertEquals(jobs.map(({ status, outcome }) => [status, outcome]), [["done", "created"]]);
});

Deno.test("kb_jobs waits at most for the given time, and returns the unfinished job", async () => {
  let clock = 0;
  const engine = new EngineClient({
    baseUrl: "http://engine.test",
    fetch: () => Promise.resolve(Response.json({ job_id: 7, status: "processing" })),
    delay: (ms) => {
      clock += ms;
      return Promise.resolve();
    },
    now: () => clock,
  });
  await using kb = await openHarness({ placement: "embedded", handler: () => new Response(null) });
  const { jobs } = await kb.call(kbJobs, { job_id: 7, wait: 30 }, { engine });
  assertEquals([jobs[0]?.status, clock], ["processing", 30_000]);
});

for (const wait of [undefined, 0]) {
  Deno.test(`kb_jobs with a wait of ${wait} polls once`, async () => {
    const handler = () => Response.json({ job_id: 7, status: "processing" });
    await using kb = await openHarness({ placement: "embedded", handler });
    await kb.call(kbJobs, { job_id: 7, ...(wait === undefined ? {} : { wait }) });
    assertEquals(kb.paths(), ["GET /api/v1/jobs/7"]);
  });
}

Deno.test("kb_jobs with a wait polls a finished job once", async () => {
  const handler = () => Response.json({ job_id: 7, status: "failed", error: "The file has no text." });
  await using kb = await openHarness({ placement: "embedded", handler });
  const { jobs } = await kb.call(kbJobs, { job_id: 7, wait: 50 });
  assertEquals([jobs[0]?.status, jobs[0]?.error], ["failed", "The file has no text."]);
  assertEquals(kb.paths(), ["GET /api/v1/jobs/7"]);
});

for (const wait of [undefined, 50]) {
  Deno.test(`kb_jobs with a wait of ${wait} says that a job of long ago has expired`, async () => {
    await using engine = await serveEngine({ engine: { keptJobs: 1 } });
    const client = new EngineClient({ baseUrl: engine.url });
    await using kb = await openHarness({ placement: "embedded" });
    const jobs = [];
    for (const text of ["one", "two", "three"]) jobs.push(await client.addNote({ text, tags: [] }));
    await client.waitForJob(jobs[2]!.job_id, { timeoutMs: 30_000 });
    const job_id = jobs[0]!.job_id;
    const output = await kb.call(kbJobs, { job_id, ...(wait !== undefined && { wait }) }, { engine: client });
    assertEquals([output.jobs[0]?.job_id, output.jobs[0]?.status], [job_id, "expired"]);
    assertMatch(String(output.jobs[0]?.ended_before), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    assertStringIncludes(String(output.jobs[0]?.next), "Find its document with kb_search");
    const unknown = await assertRejects(
      () => kb.call(kbJobs, { job_id: 99 }, { engine: client }),
      EngineError,
    );
    assertEquals(unknown.code, "not_found");
  });
}

Deno.test("kb_jobs does not wait for an unavailable engine or a missing job", async () => {
  for (const [status, kind] of [[404, "not_found"], [503, "unavailable"]] as const) {
    const handler = () => Response.json({ error: { code: kind, message: "no" } }, { status });
    await using kb = await openHarness({ placement: "embedded", handler });
    await assertRejects(() => kb.call(kbJobs, { job_id: 7, wait: 50 }), EngineError);
  }
});

const WRONG: [args: Record<string, unknown>, message: string][] = [
  [{ action: "cancel" }, "action must be given together with job_id"],
  [{ wait: 5 }, "wait must be given together with job_id"],
  [{ job_id: 7, wait: 5, status: "queued" }, "job_id must be given with wait and action only"],
  [{ job_id: 7, cursor: "x" }, "job_id must be given with wait and action only"],
];

for (const [args, message] of WRONG) {
  Deno.test(`kb_jobs rejects ${JSON.stringify(args)}`, async () => {
    await using kb = await openHarness({
      placement: "embedded",
      handler: () => new Response(null, { status: 500 }),
    });
    await assertRejects(() => kb.call(kbJobs, args), ToolError, message);
    assertEquals(kb.calls, []);
  });
}

for (const wait of [-1, 61, 1.5, "10"]) {
  Deno.test(`kb_jobs rejects a wait of ${JSON.stringify(wait)}`, () => {
    assertEquals(kbJobs.input.safeParse({ job_id: 7, wait }).success, false);
  });
}
