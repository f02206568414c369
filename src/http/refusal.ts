import { errorMessage, RPC } from "../mcp/mod.ts";

/** A request that is refused before its message is looked at. */
export interface RefusalOptions {
  /** Further headers, such as `WWW-Authenticate`. */
  headers?: Record<string, string>;
  /** JSON-RPC error code. Default: -32000. */
  code?: number;
  /** Facts for programs. */
  data?: unknown;
}

/**
 * The answer to a request that is refused: an HTTP status and, for MCP clients, a JSON-RPC error without an id.
 */
export function refuse(status: number, message: string, options: RefusalOptions = {}): Response {
  return new Response(errorMessage(options.code ?? RPC.refused, message, undefined, options.data), {
    status,
    headers: { "content-type": "application/json", ...options.headers },
  });
}
