import type { RpcRequest } from "./json_rpc.ts";
import { MODERN_VERSION } from "./versions.ts";

/** Methods whose object is mirrored in `Mcp-Name`, and the parameter that names it. */
const NAMED_BY: ReadonlyMap<string, "name" | "uri"> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
]);

/** The headers that mirror a request, null where there is none. */
export interface StandardHeaders {
  /** `MCP-Protocol-Version`. */
  readonly version: string | null;
  /** `Mcp-Method`. */
  readonly method: string | null;
  /** `Mcp-Name`; asked for when a method has it. */
  readonly name: () => string | null;
}

const SENTINEL = /^=\?base64\?(.*)\?=$/s;

/**
 * What is wrong with the headers that mirror a request, if anything: proxies route by them, so they must say the same
 * as the body (MCP 2026-07-28, Streamable HTTP, Request Metadata and Server Validation).
 *
 * That `MCP-Protocol-Version` and the body agree is checked where the era is told.
 */
export function headerProblem({ method, params }: RpcRequest, headers: StandardHeaders): string | undefined {
  if (headers.version === null) {
    return `the header MCP-Protocol-Version is missing, it must be ${MODERN_VERSION}`;
  }
  if (headers.method === null) return `the header Mcp-Method is missing, it must be ${quote(method)}`;
  if (headers.method !== method) {
    return `the header Mcp-Method is ${quote(headers.method)}, the body's method ${quote(method)}`;
  }
  const field = NAMED_BY.get(method);
  if (field === undefined) return undefined;
  const header = headers.name();
  if (header === null) return `the header Mcp-Name is missing, it must be the body's ${field}`;
  const name = decodeHeader(header);
  if (name === undefined) {
    return "the header Mcp-Name is not valid: Base64 of UTF-8 is wanted in =?base64?…?=";
  }
  const value = params?.[field];
  if (name === value) return undefined;
  const body = typeof value === "string" ? `the body's ${field} ${quote(value)}` : `the body has no ${field}`;
  return `the header Mcp-Name is ${quote(name)}, ${body}`;
}

/** Reads a value that may be in the Base64 sentinel form (ibid., Value Encoding); undefined if it is malformed. */
function decodeHeader(value: string): string | undefined {
  const encoded = SENTINEL.exec(value)?.[1];
  if (encoded === undefined) return value;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
      .decode(Uint8Array.fromBase64(encoded, { lastChunkHandling: "strict" }));
  } catch {
    return undefined;
  }
}

function quote(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}
