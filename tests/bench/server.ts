// deno-lint-ignore-file no-console -- prints its port for the parent process
/**
 * A server for the protocol benchmark. Prints its port, and stops when its standard input closes.
 *
 * - `kb-mcp DATA_DIR`: kb-mcp with a bearer token, the embedded engine and one additional tool without work.
 * - `raw BODY`: `Deno.serve` that parses each request and serializes the response with the JSON text `BODY`.
 * - `raw-text BODY`: `Deno.serve` that sends the text `BODY`.
 *
 * @module
 */
import { z } from "zod";
import { startServer } from "../../src/cli/serve.ts";
import { loadConfig } from "../../src/config/mod.ts";
import { silentLogger } from "../../src/telemetry/mod.ts";
import { defineTool, type Tool, tools } from "../../src/tools/mod.ts";

const noop = defineTool({
  name: "noop",
  title: "No operation",
  description: "Does nothing.",
  scope: "read",
  input: z.strictObject({}),
  output: z.object({ ok: z.boolean() }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  run: () => Promise.resolve({ ok: true }),
});

async function startKbMcp(dataDir: string): Promise<number> {
  const env: Record<string, string> = {
    KB_MCP_PORT: "0",
    KB_MCP_API_KEY: "bench-token",
    KB_DATA_DIR: dataDir,
    KB_EMBEDDINGS_MODEL: "off",
  };
  const config = loadConfig({ env: (name) => env[name], readFile: () => "" });
  const server = await startServer(config, {
    log: silentLogger,
    defaultDataDir: () => dataDir,
    tools: [...tools, noop as unknown as Tool],
  });
  return Number(new URL(server.url).port);
}

function startRaw(handler: (request: Request) => Promise<Response> | Response): number {
  return Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, handler).addr.port;
}

function start(kind: string | undefined, argument: string): Promise<number> | number {
  const headers = { "content-type": "application/json" };
  if (kind === "raw-text") return startRaw(() => new Response(argument, { headers }));
  if (kind !== "raw") return startKbMcp(argument);
  const response = JSON.parse(argument);
  return startRaw(async (request) => {
    const { id } = JSON.parse(await request.text());
    return new Response(JSON.stringify({ ...response, id }), { headers });
  });
}

console.log(await start(Deno.args[0], Deno.args[1] ?? ""));
for await (const _ of Deno.stdin.readable);
Deno.exit(0);
