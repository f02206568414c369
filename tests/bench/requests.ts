import { postRequest } from "./load.ts";

const AUTHORIZATION = { authorization: "Bearer bench-token" };
const CALL = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "noop", arguments: {} } };
const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };

/** The `_meta` of every request of 2026-07-28. */
const _meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

function stateless(message: { method: string; params: Record<string, unknown> }, name?: string): Uint8Array {
  return postRequest("/mcp", { ...message, params: { ...message.params, _meta } }, {
    ...AUTHORIZATION,
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": message.method,
    ...(name === undefined ? {} : { "mcp-name": name }),
  });
}

/** Returns a call of a tool in protocol version 2025-11-25. */
export function toolCall(name: string, args: unknown): Uint8Array {
  const params = { name, arguments: args };
  return postRequest("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params }, AUTHORIZATION);
}

/**
 * A call of a tool without work, and the tool list, in both protocol versions; real calls of the engine. The words of
 * the search are in most of the notes of `corpus.ts`.
 */
export const requests = {
  status: toolCall("kb_status", {}),
  missing: toolCall("kb_get", { document_id: 999_999 }),
  search: toolCall("kb_search", { query: "good state", top: 5 }),
  call2025: postRequest("/mcp", CALL, AUTHORIZATION),
  call2026: stateless(CALL, "noop"),
  list2025: postRequest("/mcp", LIST, AUTHORIZATION),
  list2026: stateless(LIST),
} as const;
