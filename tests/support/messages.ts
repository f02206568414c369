/** A request of the era that begins with `initialize`. */
export function request(method: string, params?: unknown, id: number | string = 0) {
  return { jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) };
}

/** What every request of 2026-07-28 says of its client. */
export const ENVELOPE = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "c", version: "0" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** A request of 2026-07-28, and the headers that mirror it. */
export function modern(method: string, params: Record<string, unknown> = {}, id: number | string = 0) {
  const { _meta, ...rest } = params;
  const name = params["name"] ?? params["uri"];
  const message = request(
    method,
    { ...rest, _meta: { ...ENVELOPE, ..._meta as Record<string, unknown> } },
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
