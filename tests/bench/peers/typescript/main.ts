/**
 * An MCP server with one tool that does nothing, for Node.js: `node main.js PORT`. Prints its URL once it
 * listens. Written like the SDK's own stateless example: a server and a transport for each request.
 *
 * @module
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";
import { requireBearerAuth } from "@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js";
import { InvalidTokenError } from "@modelcontextprotocol/sdk/server/auth/errors.js";
import { createMcpExpressApp } from "@modelcontextprotocol/sdk/server/express.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";

function createServer(): McpServer {
  const server = new McpServer({ name: "peer", version: "0.0.0" });
  server.registerTool("noop", {
    description: "Does nothing.",
    inputSchema: z.strictObject({}),
    outputSchema: z.object({ ok: z.boolean() }),
  }, () => ({ content: [{ type: "text", text: '{"ok":true}' }], structuredContent: { ok: true } }));
  return server;
}

const requireToken = requireBearerAuth({
  verifier: {
    verifyAccessToken(token: string) {
      if (token !== "bench-token") return Promise.reject(new InvalidTokenError("unknown token"));
      return Promise.resolve({ token, clientId: "bench", scopes: [], expiresAt: Infinity });
    },
  },
});

async function handle(
  request: IncomingMessage & { body?: unknown },
  response: ServerResponse,
): Promise<void> {
  const server = createServer();
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  response.on("close", () => server.close());
  await server.connect(transport);
  await transport.handleRequest(request, response, request.body);
}

const app = createMcpExpressApp();
app.post("/mcp", requireToken, handle);
const listener: Server = app.listen(Number(process.argv[2]), "127.0.0.1", () => {
  process.stdout.write(`ready at http://127.0.0.1:${(listener.address() as AddressInfo).port}\n`);
});
