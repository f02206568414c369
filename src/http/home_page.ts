import { TextResponse } from "../web/mod.ts";

/**
 * Returns the handler of `GET /`, for people who open the server's address in a browser or with curl: what it is, and
 * where MCP is. It names no version and no data, since it needs no token.
 */
export function homePage({ hasKey }: { readonly hasKey: boolean }): () => Response {
  const text = `kb-mcp, a knowledge base for AI agents.

The MCP endpoint (Streamable HTTP) is /mcp at this address${hasKey ? ", with the key as bearer token" : ""}.
To connect a client: kb-mcp connect --help
Health: /healthz and /readyz
`;
  const headers = {
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  };
  return () => new TextResponse(text, { headers });
}
