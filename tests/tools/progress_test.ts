import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { kbAddNote } from "../../src/tools/kb_addnote.ts";
import { kbJobs } from "../../src/tools/kb_jobs.ts";
import { kbUploadChunk } from "../../src/tools/kb_upload_chunk.ts";
import { kbUploadFinish } from "../../src/tools/kb_upload_finish.ts";
import { kbUploadStart } from "../../src/tools/kb_upload_start.ts";
import { type Progress, ToolError } from "../../src/tools/mod.ts";
import { percentages, reportJob } from "../../src/tools/progress.ts";
import { type Harness, openHarness } from "../support/harness.ts";

/** Records the progress reports of a call. */
function reports() {
  const reported: Progress[] = [];
  return { reported, report: (progress: Progress) => void reported.push(progress) };
}

/** Asserts that the percentages never decrease. */
function assertGrows(reported: readonly Progress[]): void {
  for (const [i, { progress, total, message }] of reported.entries()) {
    assertEquals(total, 100);
    assert(progress <= 100 && progress >= (reported[i - 1]?.progress ?? 0), `${progress} after ${i} reports`);
    assert(message);
  }
}

/** Starts an upload of Markdown and sends all of it. */
async function upload(kb: Harness, bytes: number): Promise<string> {
  const text = "One line of a long file that is read chunk by chunk.\n".repeat(Math.ceil(bytes / 53));
  const content = new TextEncoder().encode(text).subarray(0, bytes);
  const { upload_id } = await kb.call(kbUploadStart, { filename: "long.md", total_size: bytes });
  await kb.call(kbUploadChunk, { upload_id, chunk_index: 0, data: content.toBase64() });
  return upload_id;
}

Deno.test("kb_addnote reports its job from queued to indexed", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  const { reported, report } = reports();
  await kb.call(kbAddNote, { text: "Low water is at six.\n\n".repeat(1000) }, { report });
  assertGrows(reported);
  assertEquals(reported[0], { progress: 5, total: 100, message: "queued" });
  assertEquals(reported.at(-1), { progress: 100, total: 100, message: "indexed" });
});

Deno.test("kb_addnote reports a short note, which is stored when it is accepted, as indexed", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  const { reported, report } = reports();
  await kb.call(kbAddNote, { text: "Low water is at six." }, { report });
  assertEquals(reported, [{ progress: 100, total: 100, message: "indexed" }]);
});

Deno.test("kb_upload_finish reports the bytes sent, then the job, on one scale", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  const size = 512 * 1024;
  const upload_id = await upload(kb, size);
  const { reported, report } = reports();
  assertEquals((await kb.call(kbUploadFinish, { upload_id }, { report })).status, "done");
  assertGrows(reported);
  assertEquals(reported.slice(0, 5).map(({ progress, message }) => [progress, message]), [
    [0, `0 of ${size} bytes sent`],
    [7, `${size / 4} of ${size} bytes sent`],
    [15, `${size / 2} of ${size} bytes sent`],
    [22, `${size * 3 / 4} of ${size} bytes sent`],
    [30, `${size} of ${size} bytes sent`],
  ]);
  assertEquals(reported[5]?.message, "queued");
  assertEquals(reported.at(-1), { progress: 100, total: 100, message: "indexed" });
});

Deno.test("kb_jobs with a wait reports the job's progress", async () => {
  await using kb = await openHarness({ placement: "embedded", jobWaitMs: 0 });
  const upload_id = await upload(kb, 256 * 1024);
  const { job_id } = await kb.call(kbUploadFinish, { upload_id });
  const { reported, report } = reports();
  const { jobs } = await kb.call(kbJobs, { job_id, wait: 50 }, { report });
  assertEquals(jobs[0]?.status, "done");
  assertGrows(reported);
  assertMatch(reported[0]?.message ?? "", /^(?:queued|processing|indexed)/);
  assertEquals(reported.at(-1), { progress: 100, total: 100, message: "indexed" });
});

Deno.test("a call that does not wait reports no job", async () => {
  await using kb = await openHarness({ placement: "embedded", jobWaitMs: 0 });
  const { reported, report } = reports();
  const { job_id } = await kb.call(kbAddNote, { text: "Fire and forget." }, { report });
  await kb.call(kbJobs, { job_id }, { report });
  await kb.call(kbJobs, { job_id, wait: 0 }, { report });
  await kb.call(kbJobs, {}, { report });
  assertEquals(reported, []);
  const upload_id = await upload(kb, 300);
  await kb.call(kbUploadFinish, { upload_id }, { report });
  assertEquals(reported.map(({ progress, message }) => [progress, message]), [
    [0, "0 of 300 bytes sent"],
    [100, "300 of 300 bytes sent"],
  ]);
});

Deno.test("an incomplete upload reports nothing", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  const { upload_id } = await kb.call(kbUploadStart, { filename: "a.md", total_size: 5 });
  const { reported, report } = reports();
  await assertRejects(() => kb.call(kbUploadFinish, { upload_id }, { report }));
  assertEquals(reported, []);
});

Deno.test("a failed job is reported up to its end", async () => {
  const handler = (request: Request) =>
    request.method === "POST"
      ? Response.json({ job_id: 7, status: "queued" }, { status: 202 })
      : Response.json({ job_id: 7, status: "failed", error: "The file has no text." });
  await using kb = await openHarness({ placement: "embedded", handler });
  const { reported, report } = reports();
  await assertRejects(() => kb.call(kbAddNote, { text: "x" }, { report }), ToolError);
  assertEquals(reported.map(({ message }) => message), ["queued", "failed"]);
});

const STATES: [job: Parameters<typeof reportJob>[1], progress: number | undefined, message?: string][] = [
  [{ status: "queued", stage: "queued", progress: 0 }, 5, "queued"],
  [{ status: "processing", stage: "extracting", progress: 0 }, 10, "processing: extracting"],
  [{ status: "processing", stage: "indexing", progress: 0.5 }, 52, "processing: indexing"],
  [{ status: "processing", stage: "indexing", progress: 1 }, 95, "processing: indexing"],
  [
    {
      status: "processing",
      stage: "extracting",
      progress: 0.1,
      work: { unit: "pages", done: 120, total: 2415 },
    },
    18,
    "extracting: 120 of 2415 pages",
  ],
  [
    { status: "processing", stage: "indexing", progress: 0.7, work: { unit: "chunks", done: 900 } },
    69,
    "indexing: 900 chunks",
  ],
  [{ status: "cancelled", progress: 0.5 }, 100, "cancelled"],
  // Third-party engines: no progress, a percentage, a negative number, a stage that is not a name.
  [{ status: "processing" }, 10, "processing"],
  [{ status: "processing", progress: 50 }, 95, "processing"],
  [{ status: "processing", progress: -1 }, 10, "processing"],
  [{ status: "processing", stage: "\u001b[31mred\u202e" }, 10, "processing"],
  [{ status: "processing", stage: "x".repeat(41) }, 10, "processing"],
  [{ status: "done", progress: 1 }, 100, "indexed"],
  [{ status: "failed", progress: 0.3 }, 100, "failed"],
  [{ status: "paused" }, undefined],
];

for (const [job, progress, message] of STATES) {
  const shown = JSON.stringify(job).replaceAll("\u202e", "\\u202e");
  Deno.test(`the job ${shown} is at ${progress} of 100`, () => {
    const { reported, report } = reports();
    reportJob(percentages(report), job);
    assertEquals(reported, progress === undefined ? [] : [{ progress, total: 100, message: message! }]);
  });
}

Deno.test("progress does not decrease if the engine restarts a job", () => {
  const { reported, report } = reports();
  const reportShare = percentages(report);
  for (const progress of [0.2, 0.8, 0, 0.4, 0.9]) reportJob(reportShare, { status: "processing", progress });
  assertEquals(reported.map(({ progress }) => progress), [27, 78, 86]);
});
