/**
 * Requests that the attacks and their innocent bystanders send.
 *
 * @module
 */
import type { ServerProcess } from "../../scripts/server_process.ts";
import { TOKEN } from "./attack.ts";
import { RawConnection, type RawResponse } from "./raw_connection.ts";

/** Options of {@linkcode requestHead}. */
export interface HeadOptions {
  readonly method?: string;
  readonly path: string;
  /** Content-Length. Default: no such header. */
  readonly length?: number;
  /** Bearer token; null: none. Default: the valid one. */
  readonly token?: string | null;
  /** Further header fields. */
  readonly headers?: Record<string, string>;
}

/** Returns the head of a request that {@linkcode ServerProcess} accepts, with its empty line. */
export function requestHead(options: HeadOptions): string {
  const { method = "POST", path, length, token = TOKEN, headers = {} } = options;
  const fields = {
    host: "127.0.0.1",
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2025-11-25",
    ...(length === undefined ? {} : { "content-length": String(length) }),
    ...headers,
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${path} HTTP/1.1`, ...lines, "", ""].join("\r\n");
}

/** Returns a `POST /mcp` request with a JSON-RPC message. */
export function mcpRequest(method: string, params: unknown = {}, id: unknown = 1): string {
  const body = JSON.stringify({ jsonrpc: "2.0", id, method, params });
  return requestHead({ path: "/mcp", length: new TextEncoder().encode(body).byteLength }) + body;
}

/** Sends a request on a new connection, as a client without a connection pool does. */
export async function exchange(
  server: ServerProcess,
  request: string | Uint8Array,
  timeoutMs?: number,
): Promise<RawResponse> {
  const connection = await RawConnection.open(Number(new URL(server.url).port));
  try {
    // A server that refuses a request closes the connection while the rest is being sent.
    connection.send(request).catch(() => {});
    return await connection.response(timeoutMs);
  } finally {
    connection.close();
  }
}

/** Sends a request that must succeed and returns its latency in milliseconds. */
export async function latency(server: ServerProcess, request: string): Promise<number> {
  const started = performance.now();
  const { status, body } = await exchange(server, request);
  if (status !== 200) {
    throw new Error(`another client expected status 200, got ${status}: ${body.slice(0, 200)}`);
  }
  return performance.now() - started;
}

/** A small request of another client. */
export const PING = mcpRequest("ping");
export const HEALTH = requestHead({ method: "GET", path: "/healthz", token: null });
export const READY = requestHead({ method: "GET", path: "/readyz", token: null });

/** Result of a tool call. */
export interface ToolResult {
  readonly isError: boolean;
  readonly text: string;
  readonly structured: Record<string, unknown>;
}

/** Calls a tool of `kb-mcp serve`. */
export async function callTool(
  server: ServerProcess,
  name: string,
  args: Record<string, unknown>,
): Promise<ToolResult> {
  const { status, body } = await exchange(server, mcpRequest("tools/call", { name, arguments: args }));
  if (status !== 200) throw new Error(`${name} expected status 200, got ${status}: ${body.slice(0, 200)}`);
  const { result, error } = JSON.parse(body);
  if (error !== undefined) throw new Error(`${name} failed: ${error.message}`);
  return {
    isError: result.isError === true,
    text: result.content.map(({ text }: { text?: string }) => text ?? "").join("\n"),
    structured: result.structuredContent ?? {},
  };
}

/** Like {@linkcode callTool}, for a call that must succeed. */
export async function callToolOk(
  server: ServerProcess,
  name: string,
  args: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const { isError, text, structured } = await callTool(server, name, args);
  if (isError) throw new Error(`${name} failed: ${text}`);
  return structured;
}
