import { assertEquals } from "@std/assert";
import { MetricsRegistry, silentLogger } from "../../src/telemetry/mod.ts";
import { metricsRoute } from "../../src/web/mod.ts";

const metrics = new MetricsRegistry();
metrics.counter("up_total", { help: "Up." });

/** Returns the status of a request from an address. */
async function statusOf(
  address: string | undefined,
  headers: Record<string, string> = {},
  { token, method = "GET" }: { token?: string; method?: string } = {},
): Promise<number> {
  const route = metricsRoute({ metrics, token, log: silentLogger });
  const request = new Request("http://kb/metrics", { method, headers });
  const connection = address === undefined ? undefined : { remoteAddr: { hostname: address } };
  return (await route(request, connection)).status;
}

Deno.test("only this machine reads metrics without a token", async () => {
  for (const address of ["127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1", undefined]) {
    assertEquals(await statusOf(address, { host: "localhost:8808" }), 200, address);
  }
  for (const address of ["192.0.2.7", "10.0.0.1", "::ffff:192.0.2.7", "fe80::1", "2001:db8::1", "unknown"]) {
    assertEquals(await statusOf(address, { host: "localhost" }), 403, address);
  }
});

Deno.test("the client does not choose its address", async () => {
  for (const name of ["x-forwarded-for", "forwarded", "x-real-ip"]) {
    assertEquals(await statusOf("192.0.2.7", { [name]: "127.0.0.1", host: "127.0.0.1" }), 403, name);
  }
});

Deno.test("a request that came through a proxy is not from this machine", async () => {
  for (
    const name of [
      "forwarded",
      "via",
      "x-forwarded-for",
      "x-forwarded-host",
      "x-forwarded-proto",
      "x-real-ip",
    ]
  ) {
    assertEquals(await statusOf("127.0.0.1", { [name]: "127.0.0.1", host: "127.0.0.1" }), 403, name);
  }
  assertEquals(await statusOf("127.0.0.1", { host: "kb.example.com" }), 403);
  assertEquals(await statusOf("127.0.0.1"), 403);
  assertEquals(await statusOf("127.0.0.1", { host: "localhost", origin: "http://localhost" }), 403);
});

Deno.test("the token reads metrics from anywhere, and a wrong one from nowhere", async () => {
  const token = "m3trics";
  const bearer = (value: string) => ({
    authorization: `Bearer ${value}`,
    host: "kb.example.com",
    via: "1.1 p",
  });
  assertEquals(await statusOf("192.0.2.7", bearer(token), { token }), 200);
  assertEquals(await statusOf("192.0.2.7", {}, { token }), 401);
  assertEquals(await statusOf("192.0.2.7", bearer("guess"), { token }), 401);
  assertEquals(await statusOf("127.0.0.1", { ...bearer("guess"), host: "localhost" }, { token }), 401);
  // It may be a proxy on this machine, which need not leave traces.
  assertEquals(await statusOf("127.0.0.1", { host: "localhost" }, { token }), 401);
  assertEquals(await statusOf("192.0.2.7", bearer(token)), 403);
});

Deno.test("guesses of the token are limited", async () => {
  const route = metricsRoute({ metrics, token: "m3trics", log: silentLogger });
  const guess = async () => {
    const request = new Request("http://kb/metrics", { headers: { authorization: "Bearer guess" } });
    return (await route(request, { remoteAddr: { hostname: "192.0.2.7" } })).status;
  };
  const statuses: number[] = [];
  for (let i = 0; i < 12; i++) statuses.push(await guess());
  assertEquals(statuses.slice(9), [401, 429, 429]);
});

Deno.test("metrics are only read", async () => {
  assertEquals(await statusOf("127.0.0.1", {}, { method: "POST" }), 405);
  assertEquals(await statusOf("127.0.0.1", { host: "localhost" }, { method: "HEAD" }), 200);
});
