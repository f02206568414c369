import { assertEquals, assertRejects } from "@std/assert";
import { EngineClient, EngineError } from "../../src/client/mod.ts";

/** Returns a client of an engine with a version, and the requests that it gets. */
function clientOf(version: string): { client: EngineClient; requests: string[] } {
  const requests: string[] = [];
  const client = new EngineClient({
    baseUrl: "http://engine.test",
    fetch: (request) => {
      const { method, url } = new Request(request);
      requests.push(`${method} ${new URL(url).pathname}`);
      return Promise.resolve(
        Response.json(method === "GET" ? { version } : { job_id: 7, status: "queued" }),
      );
    },
  });
  return { client, requests };
}

Deno.test("jobs are cancelled and retried by an engine with contract 3.5", async () => {
  const { client, requests } = clientOf("3.5.0");
  await client.cancelJob(7);
  assertEquals((await client.retryJob(7)).status, "queued");
  assertEquals(requests, ["GET /api/v1/status", "POST /api/v1/jobs/7/cancel", "POST /api/v1/jobs/7/retry"]);
});

Deno.test("an older engine is not asked to cancel or retry a job", async () => {
  const { client, requests } = clientOf("3.4.0");
  for (const call of [() => client.cancelJob(7), () => client.retryJob(7)]) {
    assertEquals((await assertRejects(call, EngineError)).code, "engine_too_old");
  }
  assertEquals(requests.filter((each) => each.startsWith("POST")), []);
});
