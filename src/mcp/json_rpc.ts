/** JSON-RPC 2.0 as MCP uses it: ids are strings or integers, never null, and there are no batches. */

/** Error codes of JSON-RPC 2.0 §5.1, and the one that MCP's own SDKs use at the HTTP edge. */
export const RPC = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** Refused before the message was looked at: the code that the official SDKs use for it. */
  refused: -32000,
} as const;

/** Id of a request. */
export type RequestId = string | number;

/** A request: it has an id, and is answered. */
export interface RpcRequest {
  readonly jsonrpc: "2.0";
  readonly id: RequestId;
  readonly method: string;
  readonly params?: Record<string, unknown>;
}

/** What came in a body. */
export type Inbound =
  | { readonly kind: "request"; readonly request: RpcRequest }
  | { readonly kind: "notification"; readonly method: string; readonly params: Record<string, unknown> }
  /** To a request that no server of ours ever made. */
  | { readonly kind: "response" }
  | { readonly kind: "invalid"; readonly code: number; readonly message: string; readonly id?: RequestId };

/** From here on a body is looked at before it is parsed, in bytes. */
const LARGE_BYTES = 64 * 1024;
/** Most braces, brackets and commas of a large message. A long text, which is what makes messages large, has none. */
const MAX_TOKENS = 100_000;
/** Deepest nesting of a large message. */
const MAX_DEPTH = 64;

// ignoreBOM keeps a byte order mark in the text, where JSON.parse refuses it (RFC 8259 §8.1: MUST NOT add one).
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Reads one JSON-RPC message from the bytes of a body.
 *
 * @param bytes The whole body.
 */
export function readMessage(bytes: Uint8Array): Inbound {
  if (bytes.byteLength > LARGE_BYTES && isTangled(bytes)) {
    return invalidRequest(
      `a large message must have less than ${MAX_TOKENS} values, nested ${MAX_DEPTH} deep at most`,
    );
  }
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(bytes));
  } catch {
    return {
      kind: "invalid",
      code: RPC.parseError,
      message: "Parse error: the body must be one JSON value in UTF-8",
    };
  }
  if (Array.isArray(value)) {
    return invalidRequest("batches are not part of MCP since 2025-06-18, send one message per request");
  }
  if (!isObject(value)) return invalidRequest("a message must be a JSON object");
  const { jsonrpc, id, method, params } = value;
  const knownId = isRequestId(id) ? id : undefined;
  if (jsonrpc !== "2.0") return invalidRequest('"jsonrpc" must be "2.0"', knownId);
  if (method === undefined) {
    return knownId !== undefined && ("result" in value || "error" in value)
      ? { kind: "response" }
      : invalidRequest('"method" must be a string', knownId);
  }
  if (typeof method !== "string") return invalidRequest('"method" must be a string', knownId);
  if (params !== undefined && !isObject(params)) return invalidRequest('"params" must be an object', knownId);
  if (id === undefined) return { kind: "notification", method, params: params ?? {} };
  if (knownId === undefined) return invalidRequest('"id" must be a string or an integer');
  return { kind: "request", request: value as unknown as RpcRequest };
}

/**
 * Whether a JSON text has so much structure that parsing it would hold up everybody else: millions of tiny values take
 * seconds, a text of the same size milliseconds. One pass over the bytes; what is no JSON is left to the parser.
 */
function isTangled(bytes: Uint8Array): boolean {
  let tokens = 0;
  let depth = 0;
  let inString = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (inString) {
      if (byte === 0x5c) i++; // a backslash hides what follows
      else if (byte === 0x22) inString = false;
    } else if (byte === 0x22) inString = true;
    else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > MAX_DEPTH || ++tokens > MAX_TOKENS) return true;
    } else if (byte === 0x7d || byte === 0x5d) depth--;
    else if (byte === 0x2c && ++tokens > MAX_TOKENS) return true;
  }
  return false;
}

/** The JSON text of an error answer. Without a known id the member is left out, as MCP's schema wants it. */
export function errorMessage(code: number, message: string, id?: RequestId, data?: unknown): string {
  return JSON.stringify({
    jsonrpc: "2.0",
    ...(id === undefined ? {} : { id }),
    error: { code, message, ...(data === undefined ? {} : { data }) },
  });
}

function invalidRequest(reason: string, id?: RequestId): Inbound {
  const message = `Invalid request: ${reason}`;
  return { kind: "invalid", code: RPC.invalidRequest, message, ...(id === undefined ? {} : { id }) };
}

/** Whether a value is an id that MCP allows. */
export function isRequestId(id: unknown): id is RequestId {
  return typeof id === "string" || (typeof id === "number" && Number.isSafeInteger(id));
}

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
