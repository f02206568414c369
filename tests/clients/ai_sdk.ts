import { type Connection, connectionOf, type McpClient, type RealClient } from "./client.ts";

const SPECIFIER = "npm:@ai-sdk/mcp@2.0.99";

/** The part of the package that is used here; it is loaded by name, so that the product's lock file need not have it. */
interface Package {
  createMCPClient(options: {
    transport: { type: "http"; url: string; headers: Record<string, string> };
    protocolVersionDiscovery: boolean;
  }): Promise<McpClient>;
}

/** The client of the AI SDK: it asks for 2026-07-28 by itself, unless it is told not to. */
export const aiSdk: RealClient = {
  name: SPECIFIER.slice("npm:".length),
  eras: ["2025-11-25", "2026-07-28"],
  async connect({ url, token }, era): Promise<Connection> {
    const { createMCPClient }: Package = await import(SPECIFIER);
    const client = await createMCPClient({
      transport: { type: "http", url, headers: { authorization: `Bearer ${token}` } },
      protocolVersionDiscovery: era === "2026-07-28",
    });
    return connectionOf(client);
  },
};
