import { assertEquals, assertRejects } from "@std/assert";
import { EngineClient, EngineError } from "../../../src/client/mod.ts";

/** A client of an engine whose version can change, with the requests that it gets. */
function engineOf(version: string) {
  const engine = { version, requests: [] as Request[] };
  const client = new EngineClient({
    baseUrl: "http://engine.test",
    fetch: (request) => {
      engine.requests.push(request);
      const isStatus = request.url.endsWith("/api/v1/status");
      return Promise.resolve(
        Response.json(isStatus ? { version: engine.version } : { status: "deleted", document_id: 5 }),
      );
    },
  });
  const calls = () => engine.requests.map(({ method, url }) => `${method} ${new URL(url).pathname.slice(7)}`);
  return { client, engine, calls };
}

for (const version of ["3.0.0", "3.2.9", "v3.1.0-rc.1", "2026.11.0", "4.0.0", "dev", "unknown", "2026.11"]) {
  Deno.test(`if_version on an engine of version ${version} fails before anything is changed`, async () => {
    const { client, calls } = engineOf(version);
    const error = await assertRejects(() => client.deleteDocument(5, { ifVersion: 2 }), EngineError);
    assertEquals([error.code, error.message, calls()], [
      "engine_too_old",
      "if_version needs an engine with contract version 3.3.0 or later, but the engine at http://engine.test " +
      `has ${version}. Nothing was changed: tell the user that the engine has to be upgraded.`,
      ["GET /status"],
    ]);
  });
}

Deno.test("the status of an engine is requested until it suffices", async () => {
  const { client, engine, calls } = engineOf("3.2.0");
  await assertRejects(() => client.requireVersion("kb_edit"), EngineError, "kb_edit needs an engine with");
  engine.version = "3.3.0";
  await client.requireVersion("kb_edit");
  await client.requireVersion("kb_list", { orUnknown: true });
  await client.deleteDocument(5, { ifVersion: 2 });
  await assertRejects(() => client.requireVersion("kb_other", { minimum: "3.4.0" }), EngineError, "3.4.0");
  assertEquals(calls(), ["GET /status", "GET /status", "DELETE /documents/5", "GET /status"]);
});

Deno.test("a known status needs no request, and a call without condition none either", async () => {
  const { client, calls } = engineOf("3.10.1");
  await client.deleteDocument(5, { actor: "Claude" });
  await client.status();
  await client.requireVersion("kb_edit");
  assertEquals(calls(), ["DELETE /documents/5", "GET /status"]);
});

Deno.test("an engine that numbers its releases otherwise may be tried", async () => {
  const { client } = engineOf("2026.11.0");
  await client.requireVersion("kb_list", { orUnknown: true });
  await assertRejects(() => client.requireVersion("kb_list"), EngineError, "2026.11.0");
});

Deno.test("a former version is read from an engine that has versions only", async () => {
  const { client, calls } = engineOf("3.0.0");
  await assertRejects(() => client.document(5, { version: 1 }), EngineError, "contract version 3.3.0");
  assertEquals(calls(), ["GET /status"]);
});

Deno.test("a change names its condition and its author", async () => {
  const { client, engine } = engineOf("3.3.0");
  await client.deleteDocument(5, { ifVersion: 2, actor: " Zoë 100%" });
  const { headers } = engine.requests.at(-1)!;
  assertEquals([headers.get("if-match"), headers.get("x-kb-actor")], ['"2"', "Zo%C3%AB 100%25"]);
});

for (const actor of ["", " ", "a\nb", "x".repeat(101), "\u009f", "\ud800"]) {
  Deno.test(`an author named ${JSON.stringify(actor)} is not sent`, async () => {
    const { client, engine } = engineOf("3.3.0");
    await client.deleteDocument(5, { actor });
    assertEquals(engine.requests.at(-1)!.headers.has("x-kb-actor"), false);
  });
}
