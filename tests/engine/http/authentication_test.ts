import { assertEquals, assertStringIncludes } from "@std/assert";
import { createLogger } from "../../../src/telemetry/mod.ts";
import { EmbeddedEngine } from "../../support/embedded_engine.ts";

const KEY = "k-0123456789";

const CREDENTIALS: [
  credentials: string,
  authorization: string | undefined,
  status: number,
  challenge: string | null,
][] = [
  ["the key", `Bearer ${KEY}`, 200, null],
  ["the key with a lower-case scheme and two spaces", `bearer  ${KEY}`, 200, null],
  ["no header", undefined, 401, "Bearer"],
  ["another key", "Bearer k-0123456780", 401, 'Bearer error="invalid_token"'],
  ["a prefix of the key", `Bearer ${KEY.slice(0, -1)}`, 401, 'Bearer error="invalid_token"'],
  ["text after the key", `Bearer ${KEY} x`, 401, "Bearer"],
  ["another scheme", `Basic ${KEY}`, 401, "Bearer"],
  ["an empty token", "Bearer ", 401, "Bearer"],
];

Deno.test("an engine with an API key accepts only requests that carry it", async (t) => {
  await using engine = await EmbeddedEngine.open({ apiKey: KEY });
  for (const [credentials, authorization, status, challenge] of CREDENTIALS) {
    await t.step(`${credentials}: ${status}`, async () => {
      const response = await engine.call("status", authorization ? { headers: { authorization } } : {});
      assertEquals(response.status, status);
      assertEquals(response.headers.get("www-authenticate"), challenge);
      if (status === 401) {
        assertEquals(response.body.error.code, "unauthorized");
        assertStringIncludes(response.body.error.message, "KB_API_KEY");
        assertEquals(JSON.stringify(response.body).includes(KEY), false);
      }
    });
  }
});

Deno.test("an engine with an API key protects every path except /healthz", async () => {
  await using engine = await EmbeddedEngine.open({ apiKey: KEY });
  assertEquals((await engine.fetch("GET", "/api/v1/openapi.json")).status, 401);
  assertEquals((await engine.fetch("GET", "/api/v1/nothing")).status, 401);
  assertEquals((await engine.fetch("GET", "/healthz")).status, 200);
  assertEquals((await engine.fetch("GET", `/api/v1/status?key=${KEY}`)).status, 401);
});

Deno.test("further wrong keys of a client are 429, and the right key is accepted", async () => {
  let log = "";
  await using engine = await EmbeddedEngine.open({
    apiKey: KEY,
    log: createLogger("warn", { write: (line) => log += line }),
  });
  const call = (key: string, address: string) =>
    engine.call("status", { headers: { authorization: `Bearer ${key}` }, address });
  for (let i = 0; i < 10; i++) assertEquals((await call(`guess-${i}`, "192.0.2.7")).status, 401);
  for (let i = 0; i < 3; i++) {
    const response = await call("guess", "192.0.2.7");
    assertEquals([response.status, response.headers.get("retry-after")], [429, "6"]);
    assertEquals(response.body.error.code, "too_many_attempts");
  }
  assertEquals((await call(KEY, "192.0.2.7")).status, 200);
  assertEquals((await call("guess", "192.0.2.8")).status, 401);
  assertEquals(log.match(/wrong API key/g)?.length, 1);
  assertStringIncludes(log, "192.0.2.7");
});
