import { assertEquals, assertStringIncludes } from "@std/assert";
import { EmbeddedEngine } from "../../support/embedded_engine.ts";

const KEY = "k-0123456789";

const CREDENTIALS: [
  what: string,
  authorization: string | undefined,
  status: number,
  challenge: string | null,
][] = [
  ["the key", `Bearer ${KEY}`, 200, null],
  ["the key under another case of the scheme", `bearer  ${KEY}`, 200, null],
  ["nothing", undefined, 401, "Bearer"],
  ["another key", "Bearer k-0123456780", 401, 'Bearer error="invalid_token"'],
  ["the start of the key", `Bearer ${KEY.slice(0, -1)}`, 401, 'Bearer error="invalid_token"'],
  ["the key and more", `Bearer ${KEY} x`, 401, "Bearer"],
  ["another scheme", `Basic ${KEY}`, 401, "Bearer"],
  ["an empty token", "Bearer ", 401, "Bearer"],
];

Deno.test("with a key set, only a caller that sends it gets in", async (t) => {
  await using engine = await EmbeddedEngine.open({ apiKey: KEY });
  for (const [what, authorization, status, challenge] of CREDENTIALS) {
    await t.step(`${what} is ${status}`, async () => {
      const answer = await engine.call("status", authorization ? { headers: { authorization } } : {});
      assertEquals(answer.status, status);
      assertEquals(answer.headers.get("www-authenticate"), challenge);
      if (status === 401) {
        assertEquals(answer.body.error.code, "unauthorized");
        assertStringIncludes(answer.body.error.message, "KB_API_KEY");
        assertEquals(JSON.stringify(answer.body).includes(KEY), false);
      }
    });
  }
});

Deno.test("with a key set, the contract and what paths there are stay hidden, and health does not", async () => {
  await using engine = await EmbeddedEngine.open({ apiKey: KEY });
  assertEquals((await engine.fetch("GET", "/api/v1/openapi.json")).status, 401);
  assertEquals((await engine.fetch("GET", "/api/v1/nothing")).status, 401);
  assertEquals((await engine.fetch("GET", "/healthz")).status, 200);
  assertEquals((await engine.fetch("GET", `/api/v1/status?key=${KEY}`)).status, 401);
});
