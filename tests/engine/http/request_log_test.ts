import { assert, assertEquals, assertMatch } from "@std/assert";
import { EngineClient } from "../../../src/client/mod.ts";
import { createLogger, runForRequest } from "../../../src/telemetry/mod.ts";
import { EmbeddedEngine } from "../../support/embedded_engine.ts";
import { parseMetrics, valueOf } from "../../support/prometheus.ts";

const ADDRESS = "192.0.2.7";

Deno.test("the engine logs requests over HTTP, and ingestion, with the id of the request", async (t) => {
  const lines: Record<string, unknown>[] = [];
  const log = createLogger("debug", { format: "json", write: (line) => lines.push(JSON.parse(line)) });
  const take = () => lines.splice(0).map(({ time: _, duration_ms: __, ...line }) => line);
  await using engine = await EmbeddedEngine.open({ log, metricsToken: "m3trics" });
  const headers = { "x-request-id": "r1", "x-kb-actor": "Ann" };
  take();

  await t.step("a change is one line at info, a read one at debug", async () => {
    const form = new FormData();
    form.append("text", "Herons nest in spring.");
    form.append("source_path", "secret/herons.md");
    const accepted = await engine.call("createJob", { body: form, headers, address: ADDRESS });
    assertEquals(accepted.headers.get("x-request-id"), "r1");
    const changed = { level: "info", event: "engine request", caller: "Ann", request_id: "r1" };
    assertEquals(take(), [{ ...changed, route: "createJob", outcome: "ok", job_id: 1, document_id: 1 }]);
    await engine.call("deleteDocument", { id: 77, headers, address: ADDRESS });
    assertEquals(take(), [{ ...changed, route: "deleteDocument", outcome: "not_found", document_id: 77 }]);
    await engine.call("status", { address: ADDRESS });
    const [read] = take();
    assertEquals([read?.["level"], read?.["route"]], ["debug", "status"]);
    assertMatch(String(read?.["request_id"]), /^[\w-]{8}$/);
  });

  await t.step("a request of this process is logged by its caller, and keeps the caller's id", async () => {
    const response = await runForRequest({ id: "r2" }, () => engine.call("status", { headers }));
    assertEquals([response.headers.get("x-request-id"), take()], [null, []]);
  });

  await t.step("the ingestion of a file belongs to the request that sent it", async () => {
    const form = new FormData();
    form.append("file", new File([new Uint8Array([0, 1, 2, 3])], "secret.bin"));
    const { body: { job_id } } = await engine.call("createJob", {
      body: form,
      headers: { ...headers, "x-request-id": "r3" },
      address: ADDRESS,
    });
    assertEquals((await engine.jobEnd(job_id)).status, "failed");
    const ingestion = lines.filter(({ event }) => event === "extraction failed");
    assertEquals(ingestion.map((line) => [line["job_id"], line["request_id"]]), [[job_id, "r3"]]);
    assert(!JSON.stringify(lines).includes("secret"));
  });

  await t.step("metrics have their own token", async () => {
    const read = async (token: string) =>
      (await engine.fetch("GET", "/metrics", {
        headers: { authorization: `Bearer ${token}`, accept: "text/plain" },
        address: ADDRESS,
      })).status;
    assertEquals([await read("k3y"), await read("m3trics")], [401, 200]);
    const { body } = await engine.fetch("GET", "/metrics", {
      headers: { host: "localhost", authorization: "Bearer m3trics" },
      address: "::1",
    });
    const metrics = parseMetrics(body);
    assertEquals(
      valueOf(metrics, "kb_engine_requests_total", { route: "deleteDocument", outcome: "not_found" }),
      1,
    );
    assertEquals(valueOf(metrics, "kb_engine_jobs", { status: "failed" }), 1);
    assertEquals(valueOf(metrics, "kb_engine_ingestion_duration_seconds_count", { stage: "extract" }), 1);
    assert(valueOf(metrics, "kb_engine_writes_total", { operation: "createJob" })! >= 1);
  });
});

Deno.test("a client sends the id of the running request to its engine", async () => {
  const ids: (string | null)[] = [];
  const client = new EngineClient({
    baseUrl: "http://engine",
    fetch: ({ headers }) => {
      ids.push(headers.get("x-request-id"));
      return Promise.resolve(Response.json({ version: "3.3.0" }));
    },
  });
  await runForRequest({ id: "r1" }, () => client.status());
  // The test runner keeps the request of an earlier test.
  await runForRequest(undefined, () => client.status());
  assertEquals(ids, ["r1", null]);
});
