import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { kbJobs } from "../../src/tools/kb_jobs.ts";
import { kbStatus } from "../../src/tools/kb_status.ts";
import { scenario } from "../support/scenario.ts";

scenario(
  "Status tool / Get engine status: GETs /api/v1/status and returns version, model, device, counts, queue",
  async (kb) => {
    await kb.note({ text: "One document." });
    kb.calls.length = 0;

    const { engine, server } = await kb.call(kbStatus, {});

    assertEquals(kb.paths(), ["GET /api/v1/status"]);
    assertEquals(engine.version, "3.7.0");
    for (const part of ["model", "device", "documents", "queue"]) {
      assert(part in engine, `${part} is missing`);
    }
    assertEquals((engine.documents as { total: number }).total, 1);
    assertEquals([server.uploads_in_progress, server.collections], [0, ["documents", "memory", "workspace"]]);
  },
);

scenario("Jobs tool / List recent jobs: GETs /api/v1/jobs, newest first", async (kb) => {
  await kb.note({ text: "First." });
  await kb.note({ text: "Second.", collection: "memory", tags: ["b"] });
  kb.calls.length = 0;

  const { jobs, total } = await kb.call(kbJobs, {});

  assertEquals(kb.calls.map(({ method, url }) => `${method} ${url.pathname}`), ["GET /api/v1/jobs"]);
  assertEquals([jobs.length, total], [2, 2]);
  assertEquals([jobs[0]?.status, jobs[0]?.collection, jobs[0]?.tags], ["done", "memory", ["b"]]);
  const one = await kb.call(kbJobs, { job_id: jobs[1]?.job_id });
  assertEquals(one.jobs.map((job) => job.job_id), [jobs[1]?.job_id]);
});

scenario("Jobs tool / Filter jobs by status: GETs /api/v1/jobs?status=failed", async (kb) => {
  await kb.note({ text: "Fine." });
  const failed = await kb.job("noise.bin", Uint8Array.from({ length: 256 }, (_, i) => i));
  kb.calls.length = 0;

  const { jobs } = await kb.call(kbJobs, { status: "failed" });

  assertEquals(kb.calls[0]?.url.pathname, "/api/v1/jobs");
  assertEquals(kb.calls[0]?.url.searchParams.get("status"), "failed");
  assertEquals(jobs.map((job) => [String(job.job_id), job.status]), [[String(failed), "failed"]]);
  assertEquals(jobs[0]?.error_code, "unsupported_type");
  assertStringIncludes(String(jobs[0]?.error), "noise.bin");
});
