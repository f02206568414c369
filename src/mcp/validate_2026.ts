import { quoteText } from "../text/mod.ts";
import { ErrorCode, isObject, JsonRpcError, type JsonRpcRequest } from "./json_rpc.ts";
import { STATELESS_VERSION, unsupportedVersion } from "./protocol_versions.ts";

// Keys of `_meta` (MCP 2026-07-28, Overview). A test compares them with the SDK's: importing it would take
// 100 ms.
/** Key of the protocol version in `_meta`. */
export const PROTOCOL_VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
export const CLIENT_CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities";
export const CLIENT_INFO_KEY = "io.modelcontextprotocol/clientInfo";
export const LOG_LEVEL_KEY = "io.modelcontextprotocol/logLevel";
export const SERVER_INFO_KEY = "io.modelcontextprotocol/serverInfo";

/** RFC 5424 severities (MCP, `LoggingLevel`). */
export const LOG_LEVELS: readonly unknown[] = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
];

/** The parameter that `Mcp-Name` mirrors, for the methods that require the header. */
const NAME_PARAMS: ReadonlyMap<string, "name" | "uri"> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
]);

type HeaderReader = Pick<Headers, "get">;

/**
 * Validates what every request of 2026-07-28 carries: the description of its client in `_meta`, and the
 * headers that mirror its body, by which proxies route (Streamable HTTP, Request Metadata and Server
 * Validation). The order of the checks is that of the official SDK's `classifyInboundRequest`; clients choose
 * a fallback by the error code.
 *
 * @param version The `MCP-Protocol-Version` header.
 * @throws {JsonRpcError} For HTTP status 400.
 */
export function validateRequest(
  request: JsonRpcRequest,
  version: string | null,
  headers: HeaderReader,
): void {
  const { method, params } = request;
  const meta = isObject(params?.["_meta"]) ? params["_meta"] : undefined;
  if (method === "initialize" && meta?.[PROTOCOL_VERSION_KEY] === undefined) {
    throw headerMismatch(`${STATELESS_VERSION} has no initialize, send it without MCP-Protocol-Version`);
  }
  const requested = validateMeta(meta);
  if (version !== null && version !== requested) {
    throw headerMismatch(
      `MCP-Protocol-Version is ${quoteText(version)}, the body's version ${quoteText(requested)}`,
    );
  }
  const methodHeader = headers.get("mcp-method");
  if (methodHeader !== null && methodHeader !== method) {
    throw headerMismatch(`Mcp-Method is ${quoteText(methodHeader)}, the body's method ${quoteText(method)}`);
  }
  if (requested !== STATELESS_VERSION) throw unsupportedVersion(requested);
  if (version === null) {
    throw headerMismatch(`MCP-Protocol-Version is missing, it must be ${STATELESS_VERSION}`);
  }
  if (methodHeader === null) throw headerMismatch(`Mcp-Method is missing, it must be ${quoteText(method)}`);
  const field = NAME_PARAMS.get(method);
  if (field !== undefined) validateName(headers.get("mcp-name"), field, params?.[field]);
}

/** Validates `_meta` and returns the requested protocol version. */
function validateMeta(meta: Readonly<Record<string, unknown>> | undefined): string {
  if (meta === undefined) throw invalidMeta("_meta is missing");
  const version = meta[PROTOCOL_VERSION_KEY];
  const client = meta[CLIENT_INFO_KEY];
  const logLevel = meta[LOG_LEVEL_KEY];
  if (typeof version !== "string") throw invalidMeta(`${PROTOCOL_VERSION_KEY} must be a string`);
  if (!isObject(meta[CLIENT_CAPABILITIES_KEY])) {
    throw invalidMeta(`${CLIENT_CAPABILITIES_KEY} must be an object`);
  }
  if (client !== undefined && !isImplementation(client)) {
    throw invalidMeta(`${CLIENT_INFO_KEY} must have a name and a version`);
  }
  if (logLevel !== undefined && !LOG_LEVELS.includes(logLevel)) {
    throw invalidMeta(`${LOG_LEVEL_KEY} must be one of ${LOG_LEVELS.join(", ")}`);
  }
  return version;
}

function isImplementation(value: unknown): boolean {
  return isObject(value) && typeof value["name"] === "string" && typeof value["version"] === "string";
}

/** Validates `Mcp-Name` against the parameter that it mirrors. */
function validateName(header: string | null, field: string, value: unknown): void {
  if (header === null) throw headerMismatch(`Mcp-Name is missing, it must be the body's ${field}`);
  const name = decodeHeader(header);
  if (name === undefined) {
    throw headerMismatch("Mcp-Name must be plain text or =?base64?…?= with Base64 of UTF-8");
  }
  if (name === value) return;
  const body = typeof value === "string"
    ? `the body's ${field} is ${quoteText(value)}`
    : `the body has no ${field}`;
  throw headerMismatch(`Mcp-Name is ${quoteText(name)}, ${body}`);
}

/**
 * Decodes a header value in plain or sentinel form (Value Encoding); returns undefined if it is malformed.
 */
function decodeHeader(value: string): string | undefined {
  const encoded = /^=\?base64\?(.*)\?=$/s.exec(value)?.[1];
  if (encoded === undefined) return value;
  try {
    const bytes = Uint8Array.fromBase64(encoded, { lastChunkHandling: "strict" });
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function invalidMeta(reason: string): JsonRpcError {
  return new JsonRpcError(ErrorCode.invalidParams, `Invalid params: ${reason}`);
}

function headerMismatch(reason: string): JsonRpcError {
  return new JsonRpcError(ErrorCode.headerMismatch, `Header mismatch: ${reason}`);
}
