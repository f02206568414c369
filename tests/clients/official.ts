import { type Connection, connectionOf, type McpClient, type RealClient } from "./client.ts";

const SPECIFIER = "npm:@modelcontextprotocol/client@2.4.0";

/** The part of the package that is used here; it is loaded by name, so that the product's lock file need not have it. */
interface Package {
  readonly Client: new (info: { name: string; version: string }, options: {
    versionNegotiation: { mode: "auto" | "legacy" };
  }) => McpClient & { connect(transport: unknown): Promise<void> };
  readonly StreamableHTTPClientTransport: new (url: URL, options: {
    requestInit: { headers: Record<string, string> };
  }) => unknown;
}

/** The official client, version 2: it finds out by itself that a server speaks 2026-07-28, if it is allowed to. */
export const official: RealClient = {
  name: SPECIFIER.slice("npm:".length),
  eras: ["2025-11-25", "2026-07-28"],
  async connect({ url, token }, era): Promise<Connection> {
    const { Client, StreamableHTTPClientTransport }: Package = await import(SPECIFIER);
    const mode = era === "2026-07-28" ? "auto" : "legacy";
    const client = new Client({ name: "kb-mcp-check", version: "1" }, { versionNegotiation: { mode } });
    await client.connect(
      new StreamableHTTPClientTransport(new URL(url), {
        requestInit: { headers: { authorization: `Bearer ${token}` } },
      }),
    );
    return connectionOf(client);
  },
};
