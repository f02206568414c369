import { Client } from "@modelcontextprotocol/sdk/client";
// The package exports types only without .js, and modules only with it.
// @ts-types="@modelcontextprotocol/sdk/client/streamableHttp"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

/** Tool result, as an agent receives it. */
export interface AgentToolResult {
  readonly isError: boolean;
  /** Joined text content. */
  readonly text: string;
  readonly structured: Record<string, unknown>;
}

/** An agent: the connected official client. */
export interface Agent extends AsyncDisposable {
  readonly client: Client;
  call(tool: string, args?: Record<string, unknown>): Promise<AgentToolResult>;
}

/**
 * Connects the official MCP client over Streamable HTTP.
 *
 * @param url Base URL of the server, without `/mcp`.
 * @param token Bearer token.
 */
export async function connectAgent(url: string, token?: string): Promise<Agent> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } });
  const client = new Client({ name: "scenario", version: "1" });
  // @ts-ignore: the SDK's transport type does not support exactOptionalPropertyTypes
  await client.connect(transport);
  return {
    client,
    async call(name, args = {}) {
      const result = await client.callTool({ name, arguments: args });
      const content = result.content as { text?: string }[];
      return {
        isError: result.isError === true,
        text: content.map(({ text }) => text ?? "").join("\n"),
        structured: (result.structuredContent ?? {}) as Record<string, unknown>,
      };
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}
