import { postRequest } from "./load.ts";

const AUTHORIZED = { authorization: "Bearer bench-token" };
const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "noop", arguments: {} } };
const list = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };

/** What a client of 2026-07-28 says with each request. */
const _meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

function modern(message: { method: string; params: Record<string, unknown> }, name?: string): Uint8Array {
  return postRequest("/mcp", { ...message, params: { ...message.params, _meta } }, {
    ...AUTHORIZED,
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": message.method,
    ...(name === undefined ? {} : { "mcp-name": name }),
  });
}

/** A call of a tool that only answers, and the list of tools, in both eras; and as a bare server is asked. */
export const requests = {
  call: postRequest("/mcp", call),
  call2025: postRequest("/mcp", call, AUTHORIZED),
  call2026: modern(call, "noop"),
  list: postRequest("/mcp", list),
  list2025: postRequest("/mcp", list, AUTHORIZED),
  list2026: modern(list),
} as const;
