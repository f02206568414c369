// deno-lint-ignore-file no-console -- its port, for the process that started it
/**
 * One server for the protocol benchmark, in a process of its own, so that the load does not share its thread.
 * Prints its port, and ends with its standard input.
 *
 * `raw`: `Deno.serve` with a ready text, the ceiling; `raw-list`: the same with the text of `tools/list`. `parse`: with
 * the parsing and serialising that any JSON server does. `kb`: kb-mcp with a bearer token and the embedded engine, with one more tool that only answers.
 *
 * @module
 */
import { z } from "zod";
import { startServer } from "../../src/cli/serve.ts";
import { loadConfig } from "../../src/config/mod.ts";
import { silentLogger } from "../../src/telemetry/mod.ts";
import { listTools } from "../../src/mcp/tool_list.ts";
import { defineTool, type Tool, tools } from "../../src/tools/mod.ts";

const noop = defineTool({
  name: "noop",
  title: "No operation",
  description: "Answers.",
  input: z.strictObject({}),
  output: z.object({ ok: z.boolean() }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  scope: "read",
  run: () => Promise.resolve({ ok: true }),
});

const answer = {
  jsonrpc: "2.0",
  id: 1,
  result: { content: [{ type: "text", text: '{"ok":true}' }], structuredContent: { ok: true } },
};

const [kind, dataDir = ""] = Deno.args;
const headers = { "content-type": "application/json" };
let port: number;
if (kind === "kb") {
  const env: Record<string, string> = {
    KB_MCP_PORT: "0",
    KB_MCP_API_KEY: "bench-token",
    KB_DATA_DIR: dataDir,
  };
  const config = loadConfig({ env: (name) => env[name], readFile: () => "" });
  const server = await startServer(config, {
    log: silentLogger,
    defaultDataDir: () => dataDir,
    tools: [...tools, noop as unknown as Tool],
  });
  port = Number(new URL(server.url).port);
} else {
  const text = JSON.stringify(
    kind === "raw-list"
      ? { jsonrpc: "2.0", id: 1, result: listTools([...tools, noop as unknown as Tool]) }
      : answer,
  );
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    kind !== "parse" ? () => new Response(text, { headers }) : async (request) => {
      const message = JSON.parse(await request.text());
      return new Response(JSON.stringify({ ...answer, id: message.id }), { headers });
    },
  );
  port = server.addr.port;
}
console.log(port);
for await (const _ of Deno.stdin.readable);
Deno.exit(0);
