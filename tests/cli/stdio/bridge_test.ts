import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import * as z from "zod";
import { ConfigError } from "../../../src/config/mod.ts";
import { defineTool } from "../../../src/tools/mod.ts";
import { CLIENT_META } from "../../support/messages.ts";
import { startTestServer } from "../../support/server.ts";
import { configFor, StdioClient } from "./client.ts";

const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** A server with a tool that reports progress and then waits until it is cancelled. */
async function startServerWithWait() {
  const cancelled = { 2025: Promise.withResolvers<void>(), 2026: Promise.withResolvers<void>() };
  const wait = defineTool({
    name: "wait",
    title: "Wait",
    description: "Waits until it is cancelled.",
    scope: "read",
    input: z.strictObject({ name: z.enum(["2025", "2026"]) }),
    output: z.strictObject({}),
    annotations,
    async run({ name }, { signal, report }) {
      report({ progress: 1, message: name });
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      cancelled[name].resolve();
      return {};
    },
  });
  const server = await startTestServer({ tools: [wait], env: { KB_MCP_API_KEY: "bridge-key" } });
  return { url: `${server.url}/mcp`, cancelled, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

Deno.test("the bridge forwards progress and cancellation in both generations of the protocol", async () => {
  await using server = await startServerWithWait();
  const client = new StdioClient(configFor({ KB_MCP_API_KEY: "bridge-key" }), { url: server.url });
  await client.initialize();
  for (const [id, meta] of [["2025", {}], ["2026", CLIENT_META]] as const) {
    const params = { name: "wait", arguments: { name: id }, _meta: { ...meta, progressToken: id } };
    client.send({ jsonrpc: "2.0", id, method: "tools/call", params });
    const progress = await client.receive(({ params }) => params?.["progressToken"] === id);
    assertEquals([progress.method, progress.params?.["message"]], ["notifications/progress", id]);
    const cancel = { requestId: id, ...(id === "2026" ? { _meta: CLIENT_META } : {}) };
    client.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: cancel });
    // Other requests are answered meanwhile.
    assertEquals((await client.request(`ping ${id}`, "tools/list")).result.tools.length, 1);
    await server.cancelled[id].promise;
  }
  assertEquals(await client.close(), 0);
  assertEquals(client.output.includes('"id":"2025"'), false);
  assertEquals(client.output.includes('"id":"2026"'), false);
});

Deno.test("the bridge reports a wrong key and a server that does not run, with the id of the request", async () => {
  await using server = await startServerWithWait();
  const wrongKey = new StdioClient(configFor({ KB_MCP_API_KEY: "wrong", KB_MCP_URL: server.url }));
  const { id, error } = await wrongKey.request(1, "tools/list");
  assertEquals(id, 1);
  assertStringIncludes(error?.message ?? "", "rejected the key: set KB_MCP_API_KEY");
  assertEquals(await wrongKey.close(), 0);
  const noServer = new StdioClient(configFor({}), { url: "http://127.0.0.1:1/mcp" });
  const failed = await noServer.request(2, "tools/list");
  assertStringIncludes(failed.error?.message ?? "", "Cannot reach http://127.0.0.1:1/mcp");
  assertEquals(await noServer.close(), 0);
});

Deno.test("the bridge refuses a URL that is none", async () => {
  const client = new StdioClient(configFor({}), { url: "kb.example.com" });
  await assertRejects(() => client.status, ConfigError, "--url must be");
});

Deno.test("the bridge reports broken and too long messages with their id, if it can be read", async () => {
  await using server = await startServerWithWait();
  const config = configFor({ KB_MCP_API_KEY: "bridge-key", KB_MCP_MAX_BODY: "64KiB" });
  const client = new StdioClient(config, { url: server.url });
  const nested = client.receive(({ id }) => id === 1);
  client.write('{"method":"tools/call","params":{"score":NaN},"jsonrpc":"2.0","id":1}' + "\n");
  assertStringIncludes((await nested).error?.message ?? "", "Parse error");
  const long = client.receive(({ id }) => id === "two");
  client.write(`{"method":"x","params":{"a":"${"x".repeat(70_000)}"},"jsonrpc":"2.0","id":"two"}` + "\n");
  assertStringIncludes((await long).error?.message ?? "", "must be at most 64 KiB");
  assertEquals(await client.close(), 0);
});
