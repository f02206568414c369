import { ErrorCode, errorMessage } from "../mcp/mod.ts";
import { encodedJsonResponse } from "../web/mod.ts";

/** Options of {@linkcode errorResponse}. */
export interface ErrorResponseOptions {
  /** Additional headers, such as `WWW-Authenticate`. */
  headers?: Record<string, string>;
  /** JSON-RPC error code. Default: rejected before dispatch. */
  code?: number;
}

/**
 * Returns the response to a request that is rejected before dispatch: for MCP clients, a JSON-RPC error
 * without an id.
 */
export function errorResponse(status: number, message: string, options: ErrorResponseOptions = {}): Response {
  const json = errorMessage({ code: options.code ?? ErrorCode.rejected, message });
  return encodedJsonResponse(json, { status, headers: options.headers ?? {} });
}
