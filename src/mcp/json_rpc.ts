import { escapeInvisible, type Text } from "../text/mod.ts";

/** JSON-RPC 2.0 as MCP profiles it: ids are strings or integers, never null, and there are no batches. */

/** JSON-RPC error codes: those of JSON-RPC 2.0 §5.1, then those that MCP adds. */
export const ErrorCode = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** Rejected by an HTTP check before dispatch; the official SDKs use the same code. */
  rejected: -32000,
  /** MCP 2025-11-25, Resources, Error Handling. */
  resourceNotFound: -32002,
  /** MCP 2026-07-28, Server Validation. */
  headerMismatch: -32020,
  /** MCP 2026-07-28, Protocol Version Negotiation. */
  unsupportedProtocolVersion: -32022,
} as const;

/** Id of a request. */
export type RequestId = string | number;

/** A message that expects a response. */
export interface JsonRpcRequest {
  readonly jsonrpc: "2.0";
  readonly id: RequestId;
  readonly method: string;
  readonly params?: Params;
}

/** Parameters of a request or notification. */
export type Params = Readonly<Record<string, unknown>>;

/** A parsed message, or the reason why the bytes are not one. */
export type IncomingMessage =
  | { readonly kind: "request"; readonly request: JsonRpcRequest }
  | { readonly kind: "notification"; readonly method: string; readonly params: Params }
  | { readonly kind: "response" }
  | { readonly kind: "invalid"; readonly error: JsonRpcError; readonly id: RequestId | undefined };

/** An error that is sent to the client as a JSON-RPC error response. */
export class JsonRpcError extends Error {
  override name = "JsonRpcError";
  readonly code: number;
  /** Sent to the client as `error.data`. */
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Maximum length of a string id, in UTF-16 code units. */
export const MAX_ID_CHARS = 1024;
/** Size from which the memory of a text matters more than the time to decode it. */
const LARGE_TEXT_BYTES = 64 * 1024;

// ignoreBOM keeps a byte order mark in the text, so that JSON.parse rejects it (RFC 8259 §8.1: MUST NOT add
// one).
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Parses the bytes of a whole HTTP body as one JSON-RPC message. Never throws. Takes time and memory by the
 * number of values, which the reader of the body limits.
 */
export function parseMessage(bytes: Uint8Array): IncomingMessage {
  let value: unknown;
  try {
    value = JSON.parse(decodeUtf8(bytes));
  } catch {
    const error = new JsonRpcError(
      ErrorCode.parseError,
      "Parse error: a message must be one JSON value in UTF-8",
    );
    return { kind: "invalid", error, id: undefined };
  }
  if (Array.isArray(value)) {
    return invalid("MCP has no batches since 2025-06-18, send one message per request");
  }
  if (!isObject(value)) return invalid("a message must be a JSON object");
  const { jsonrpc, id, method, params } = value;
  const validId = isRequestId(id) ? id : undefined;
  if (jsonrpc !== "2.0") return invalid('"jsonrpc" must be "2.0"', validId);
  if (method === undefined && validId !== undefined && ("result" in value || "error" in value)) {
    return { kind: "response" };
  }
  if (typeof method !== "string") return invalid('"method" must be a string', validId);
  if (params !== undefined && !isObject(params)) return invalid('"params" must be an object', validId);
  if (id === undefined) return { kind: "notification", method, params: params ?? {} };
  if (validId === undefined) {
    return invalid(`"id" must be an integer or a string of at most ${MAX_ID_CHARS} characters`);
  }
  return { kind: "request", request: value as unknown as JsonRpcRequest };
}

/**
 * Decodes UTF-8 and throws for invalid bytes. A fatal decoder takes four times as long, 2 % of a small
 * request, so it only decodes texts with a replacement character, which may be one that was sent. A large
 * text is decoded once, to save memory.
 */
function decodeUtf8(bytes: Uint8Array): string {
  if (bytes.byteLength > LARGE_TEXT_BYTES) return strictUtf8.decode(bytes);
  const text = utf8.decode(bytes);
  return text.includes("\ufffd") ? strictUtf8.decode(bytes) : text;
}

/** Returns the JSON text of a response. @param result JSON text of the result. */
export function resultMessage(id: RequestId, result: Text): Text {
  const start = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;
  return typeof result === "string" ? `${start}${result}}` : [start, ...result, "}"];
}

/**
 * Returns the JSON text of an error response. An unknown id is left out: MCP's schema does not allow null.
 * Invisible characters of the message, which may repeat the caller's text, are escaped.
 */
export function errorMessage({ code, message, data }: JsonRpcErrorObject, id?: RequestId): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code, message: escapeInvisible(message), data } });
}

/** The fields of an error that are sent to the client. */
export type JsonRpcErrorObject = Pick<JsonRpcError, "code" | "message"> & { readonly data?: unknown };

function invalid(reason: string, id?: RequestId): IncomingMessage {
  return {
    kind: "invalid",
    error: new JsonRpcError(ErrorCode.invalidRequest, `Invalid request: ${reason}`),
    id,
  };
}

/**
 * Returns whether a value is an id that this server accepts. A string id is limited, because every response
 * repeats it.
 */
export function isRequestId(id: unknown): id is RequestId {
  return typeof id === "string" ? id.length <= MAX_ID_CHARS : Number.isSafeInteger(id);
}

/** Returns whether a value is a JSON object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
