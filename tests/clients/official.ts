import { type Connection, connectionOf, type McpClient, type RealClient } from "./client.ts";

const SPECIFIER = "npm:@modelcontextprotocol/client@2.4.0";

/** The used part of the package, which is imported dynamically to keep it out of the lock file. */
interface Package {
  readonly Client: new (info: { name: string; version: string }, options: {
    versionNegotiation: { mode: "auto" | "legacy" };
  }) => McpClient & { connect(transport: unknown): Promise<void> };
  readonly StreamableHTTPClientTransport: new (url: URL, options: {
    requestInit: { headers: Record<string, string> };
  }) => unknown;
}

/** The official client, version 2. It negotiates 2026-07-28 unless its mode is `legacy`. */
export const official: RealClient = {
  name: SPECIFIER.slice("npm:".length),
  protocolVersions: ["2025-11-25", "2026-07-28"],
  async connect({ url, token }, protocolVersion): Promise<Connection> {
    const { Client, StreamableHTTPClientTransport }: Package = await import(SPECIFIER);
    const mode = protocolVersion === "2026-07-28" ? "auto" : "legacy";
    const client = new Client({ name: "kb-mcp-check", version: "1" }, { versionNegotiation: { mode } });
    await client.connect(
      new StreamableHTTPClientTransport(new URL(url), {
        requestInit: { headers: { authorization: `Bearer ${token}` } },
      }),
    );
    return connectionOf(client);
  },
};
