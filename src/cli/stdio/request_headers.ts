import { type JsonRpcRequest, type Params, PROTOCOL_VERSION_KEY } from "../../mcp/mod.ts";

/** What `initialize` negotiated, which later requests repeat in headers. */
export interface Session {
  /** Protocol version of the response. */
  version?: string | undefined;
  /** Value of `MCP-Session-Id`. */
  id?: string | undefined;
  /** The client's `clientInfo`, as a product of `User-Agent`. */
  client?: string | undefined;
}

/** Parameters that `Mcp-Name` repeats, by method (MCP 2026-07-28, Streamable HTTP, Request Metadata). */
const NAME_PARAMS: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
};

/**
 * Returns the headers with which Streamable HTTP repeats parts of a message; stdio has none.
 *
 * @param session Used for messages that name no protocol version, as those until 2025-11-25.
 */
export function requestHeaders(
  { method, params }: Pick<JsonRpcRequest, "method" | "params">,
  session: Session,
): Record<string, string> {
  const version = versionOf(params);
  if (version === undefined) {
    if (method === "initialize") return {};
    return {
      ...(session.version === undefined ? {} : { "mcp-protocol-version": session.version }),
      ...(session.id === undefined ? {} : { "mcp-session-id": session.id }),
    };
  }
  const name = params?.[NAME_PARAMS[method] ?? ""];
  return {
    "mcp-protocol-version": encodeHeader(version),
    "mcp-method": encodeHeader(method),
    ...(typeof name === "string" ? { "mcp-name": encodeHeader(name) } : {}),
  };
}

/** Returns the protocol version that a message names in `_meta`, as those since 2026-07-28 do. */
export function versionOf(params: Params | undefined): string | undefined {
  const meta = params?.["_meta"] as Params | null | undefined;
  const version = meta?.[PROTOCOL_VERSION_KEY];
  return typeof version === "string" ? version : undefined;
}

/** Returns the `clientInfo` of `initialize` as a product of `User-Agent` (RFC 9110 §10.1.5). */
export function productOf(params: Params | undefined): string | undefined {
  const info = params?.["clientInfo"] as Params | null | undefined;
  const [name, version] = [info?.["name"], info?.["version"]].map((value) =>
    typeof value === "string" ? value.replaceAll(/[^\w.+-]+/g, "-").slice(0, 100) : ""
  );
  return name ? `${name}/${version || "0"}` : undefined;
}

/** Encodes a header value: text that a header cannot contain, as Base64 (MCP 2026-07-28, Value Encoding). */
function encodeHeader(value: string): string {
  if (/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.startsWith("=?")) return value;
  return `=?base64?${new TextEncoder().encode(value).toBase64()}?=`;
}
