import { assertEquals } from "@std/assert";
import { EngineClient } from "../../src/client/mod.ts";
import { sourceTools } from "../../src/source_tools/mod.ts";
import { tools } from "../../src/tools/mod.ts";
import { connectAgent } from "../support/mcp_client.ts";
import { serveEngine } from "../support/serve_engine.ts";
import { startTestServer } from "../support/server.ts";
import { temporaryFolder } from "../support/temporary_folder.ts";

async function toolNames({ url }: { readonly url: string }): Promise<string[]> {
  await using agent = await connectAgent(url);
  return (await agent.client.listTools()).tools.map(({ name }) => name);
}

async function ready({ url }: { readonly url: string }): Promise<void> {
  const response = await fetch(`${url}/readyz`);
  await response.body?.cancel();
  assertEquals(response.status, 200);
}

Deno.test("a remote engine with sources brings the tools for them, at the start and when it is ready", async () => {
  await using folder = await temporaryFolder({ "a.md": "# A\n" });
  await using engine = await serveEngine({ engine: { localToken: "local-token" } });
  const env = { KB_ENGINE_URL: engine.url };
  await using early = await startTestServer({ env });
  await using off = await startTestServer({ env: { ...env, KB_MCP_SOURCE_TOOLS: "off" } });
  const without = tools.map(({ name }) => name);
  const all = [...without, ...sourceTools.map(({ name }) => name)];
  assertEquals(await toolNames(early), without);

  const client = new EngineClient({ baseUrl: engine.url, apiKey: "local-token" });
  await client.addSource({ name: "docs", path: folder.path });
  assertEquals((await client.status()).sources, { total: 1 });
  for (const server of [early, off]) await ready(server);
  assertEquals(await toolNames(early), all);
  assertEquals(await toolNames(off), without);
  await using late = await startTestServer({ env });
  assertEquals(await toolNames(late), all);
});

Deno.test("sources of an engine of another make bring no tools", async () => {
  const status = { version: "dev", sources: { total: 7 } };
  await using engine = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    ({ url }) => url.endsWith("/status") ? Response.json(status) : new Response(null, { status: 404 }),
  );
  await using server = await startTestServer({
    env: { KB_ENGINE_URL: `http://127.0.0.1:${engine.addr.port}` },
  });
  await ready(server);
  assertEquals(await toolNames(server), tools.map(({ name }) => name));
});
