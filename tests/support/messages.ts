/** Returns a request of a version with a handshake (2025-11-25 and earlier). */
export function request(method: string, params?: unknown, id: number | string = 0) {
  return { jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) };
}

/** The `_meta` of every request of 2026-07-28. */
export const CLIENT_META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "c", version: "0" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** Returns a request of 2026-07-28 and the headers that mirror it. */
export function stateless(method: string, params: Record<string, unknown> = {}, id: number | string = 0) {
  const { _meta, ...rest } = params;
  const name = params["name"] ?? params["uri"];
  const message = request(
    method,
    { ...rest, _meta: { ...CLIENT_META, ..._meta as Record<string, unknown> } },
    id,
  );
  const headers: Record<string, string> = {
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...(typeof name === "string" ? { "mcp-name": name } : {}),
  };
  return [message, headers] as const;
}
