import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { EngineClient, EngineError } from "../../src/client/mod.ts";
import { kbJobs } from "../../src/tools/kb_jobs.ts";
import { ToolError } from "../../src/tools/mod.ts";
import { openHarness } from "../support/harness.ts";
import { serveEngine } from "../support/serve_engine.ts";

Deno.test("kb_jobs with an action cancels and retries a job", async () => {
  await using kb = await openHarness({ placement: "embedded", handler: () => new Response(null) });
  // Without a process for files, they stay in the queue.
  await using server = await serveEngine({ engine: { extractConcurrency: 0 } });
  const engine = new EngineClient({ baseUrl: server.url });
  const open = () => Promise.resolve(new Blob(["tea"]).stream());
  const { job_id } = await engine.addFile({ filename: "tea.csv", size: 3, open, tags: [] });
  const act = async (action: string, id = job_id) =>
    (await kb.call(kbJobs, { job_id: id, action }, { engine })).jobs.map(({ job_id, status }) => [
      job_id,
      status,
    ]);
  const rejected = (action: string, id = job_id) => assertRejects(() => act(action, id), EngineError);

  assertEquals(await act("cancel"), [[job_id, "cancelled"]]);
  const ended = await rejected("cancel");
  assertEquals(ended.code, "conflict");
  assertMatch(ended.message, /must not have ended to be cancelled, got cancelled/);
  assertEquals(await act("retry"), [[job_id, "queued"]]);
  const queued = await rejected("retry");
  assertEquals(queued.code, "conflict");
  assertMatch(queued.message, /must be failed or cancelled to be retried, got queued/);
  for (const action of ["cancel", "retry"]) {
    const unknown = await rejected(action, 99);
    assertEquals(unknown.code, "not_found");
    assertMatch(unknown.message, /^The engine has no job 99\. Call kb_jobs/);
  }
});

Deno.test("kb_jobs with an action waits for the retried job, and names the caller to the engine", async () => {
  const requests: (string | null)[] = [];
  const handler = ({ method, url, headers }: Request) => {
    const { pathname } = new URL(url);
    if (pathname.endsWith("/status")) return Response.json({ version: "3.5.0" });
    requests.push(`${method} ${pathname}`, headers.get("x-kb-actor"));
    return Response.json({ job_id: 7, status: method === "POST" ? "queued" : "done" });
  };
  await using kb = await openHarness({ placement: "embedded", handler });
  const caller = { id: "caller-a", name: "agent", scope: "write" as const };
  const { jobs } = await kb.call(kbJobs, { job_id: 7, action: "retry", wait: 30 }, { caller });
  assertEquals(jobs.map(({ status }) => status), ["done"]);
  assertEquals(requests, ["POST /api/v1/jobs/7/retry", "agent", "GET /api/v1/jobs/7", null]);
});

for (const action of ["cancel", "retry"]) {
  Deno.test(`kb_jobs rejects the action ${action} without job_id`, async () => {
    await using kb = await openHarness({ placement: "embedded", handler: () => new Response(null) });
    await assertRejects(
      () => kb.call(kbJobs, { action }),
      ToolError,
      "action must be given together with job_id",
    );
    assertEquals(kb.calls, []);
  });

  Deno.test(`kb_jobs with the action ${action} needs an engine with contract 3.5`, async () => {
    const handler = () => Response.json({ version: "3.4.0", job_id: 7, status: "queued" });
    await using kb = await openHarness({ placement: "embedded", handler });
    const error = await assertRejects(() => kb.call(kbJobs, { job_id: 7, action }), EngineError);
    assertEquals(error.code, "engine_too_old");
    assertMatch(error.message, /3\.5\.0/);
    assertEquals(kb.paths(), ["GET /api/v1/status"]);
  });
}

Deno.test("kb_jobs rejects an unknown action", () => {
  assertEquals(kbJobs.input.safeParse({ job_id: 7, action: "pause" }).success, false);
});
