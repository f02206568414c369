import { assertEquals, assertRejects } from "@std/assert";
import { EngineClient, EngineError } from "../../../src/client/mod.ts";

/** A client of an engine whose version can change, with the paths of its requests. */
function engineOf(version: string) {
  const engine = { version, paths: [] as string[] };
  const client = new EngineClient({
    baseUrl: "http://engine.test",
    fetch: ({ url }) => {
      const { pathname } = new URL(url);
      engine.paths.push(pathname);
      const body = pathname === "/api/v1/status"
        ? { version: engine.version }
        : { job_id: 1, status: "done" };
      return Promise.resolve(Response.json(body));
    },
  });
  return { client, engine };
}

for (const version of ["2.9.9", "v2.0.0", "0.1.0", "2.9.9-rc.1"]) {
  Deno.test(`an engine of version ${version} is rejected, with what to do (decision D7)`, async () => {
    const { client } = engineOf(version);
    const error = await assertRejects(() => client.status(), EngineError);
    assertEquals(error.code, "engine_too_old");
    assertEquals(
      error.message,
      `The engine at http://engine.test has version ${version}, but kb-mcp needs 3.0.0 or later. ` +
        "Upgrade the engine, or set KB_ENGINE_URL to a newer one.",
    );
  });
}

for (const version of ["3.0.0", "3.1.0", "v4.2.0", "10.0.0", "2026.11", "dev", "unknown", "2", ""]) {
  Deno.test(`an engine of version "${version}" is accepted`, async () => {
    const { client } = engineOf(version);
    assertEquals((await client.status()).version, version);
    assertEquals((await client.job(1)).status, "done");
  });
}

Deno.test("after a status shows an old engine, other calls fail too, until the engine is upgraded", async () => {
  const { client, engine } = engineOf("2.4.0");
  await assertRejects(() => client.status(), EngineError);
  const error = await assertRejects(() => client.job(1), EngineError);
  assertEquals([error.code, engine.paths.includes("/api/v1/jobs/1")], ["engine_too_old", false]);
  engine.version = "3.0.0";
  engine.paths.length = 0;
  assertEquals((await client.job(1)).status, "done");
  assertEquals((await client.job(1)).status, "done");
  assertEquals(engine.paths, ["/api/v1/status", "/api/v1/jobs/1", "/api/v1/jobs/1"]);
});

Deno.test("a call before any status does not request one", async () => {
  const { client, engine } = engineOf("2.4.0");
  await client.job(1);
  assertEquals(engine.paths, ["/api/v1/jobs/1"]);
});
