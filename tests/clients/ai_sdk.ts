import { type Connection, connectionOf, type McpClient, type RealClient } from "./client.ts";

const SPECIFIER = "npm:@ai-sdk/mcp@2.0.99";

/** The used part of the package, which is imported dynamically to keep it out of the lock file. */
interface Package {
  createMCPClient(options: {
    transport: { type: "http"; url: string; headers: Record<string, string> };
    protocolVersionDiscovery: boolean;
  }): Promise<McpClient>;
}

/** The client of the AI SDK. It negotiates 2026-07-28 unless that is turned off. */
export const aiSdk: RealClient = {
  name: SPECIFIER.slice("npm:".length),
  protocolVersions: ["2025-11-25", "2026-07-28"],
  async connect({ url, token }, protocolVersion): Promise<Connection> {
    const { createMCPClient }: Package = await import(SPECIFIER);
    const client = await createMCPClient({
      transport: { type: "http", url, headers: { authorization: `Bearer ${token}` } },
      protocolVersionDiscovery: protocolVersion === "2026-07-28",
    });
    return connectionOf(client);
  },
};
