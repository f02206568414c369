import { assertEquals, assertRejects } from "@std/assert";
import { connectAgent } from "../support/mcp_client.ts";
import { startTestServer } from "../support/server.ts";

const KEY = "agents-only-4711";
const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "scenario", version: "1" },
  },
};

function post(url: string, headers: Record<string, string>): Promise<Response> {
  return fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body: JSON.stringify(initialize),
  });
}

Deno.test("MCP server authentication / Valid MCP API key: the request is processed", async () => {
  await using server = await startTestServer({ env: { KB_MCP_API_KEY: KEY } });
  await using agent = await connectAgent(server.url, KEY);
  assertEquals((await agent.call("kb_status")).isError, false);
});

Deno.test("MCP server authentication / Missing MCP API key when required: 401 with a challenge", async () => {
  await using server = await startTestServer({ env: { KB_MCP_API_KEY: KEY } });
  const response = await post(server.url, {});
  assertEquals(response.status, 401);
  assertEquals(response.headers.get("www-authenticate"), 'Bearer realm="kb-mcp"');
  await response.body?.cancel();
  await assertRejects(() => connectAgent(server.url));
});

Deno.test("MCP server authentication / Invalid MCP API key: 401 for every kind of invalid token", async () => {
  // The engine's key is not a key of the MCP server.
  await using server = await startTestServer({ env: { KB_MCP_API_KEY: KEY, KB_API_KEY: "engine-key" } });
  const wrong = ["Bearer nonsense", `Bearer ${KEY}x`, `Basic ${btoa(`x:${KEY}`)}`, KEY, "Bearer engine-key"];
  for (const authorization of wrong) {
    const response = await post(server.url, { authorization });
    assertEquals(response.status, 401, authorization);
    await response.body?.cancel();
  }
  const inUrl = await fetch(`${server.url}/mcp?access_token=${KEY}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(initialize),
  });
  assertEquals(inUrl.status, 401);
  await inUrl.body?.cancel();
});

Deno.test("MCP server authentication / MCP auth disabled: without KB_MCP_API_KEY every caller is accepted", async () => {
  await using server = await startTestServer();
  await using anonymous = await connectAgent(server.url);
  await using keyed = await connectAgent(server.url, "any-key-at-all");
  assertEquals((await anonymous.call("kb_status")).isError, false);
  assertEquals((await keyed.call("kb_status")).isError, false);
});
