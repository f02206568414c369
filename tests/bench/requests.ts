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

/** A call of a tool without work, and the tool list, in both protocol versions. */
export const requests = {
  call2025: postRequest("/mcp", CALL, AUTHORIZATION),
  call2026: stateless(CALL, "noop"),
  list2025: postRequest("/mcp", LIST, AUTHORIZATION),
  list2026: stateless(LIST),
} as const;
