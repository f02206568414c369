import { Client } from "@modelcontextprotocol/sdk/client";
// The package's map of types is broken for names that end in .js, and of modules for those that do not.
// @ts-types="@modelcontextprotocol/sdk/client/streamableHttp"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

/** What a tool answered, as an agent sees it. */
export interface ToolAnswer {
  readonly isError: boolean;
  /** The text content. */
  readonly text: string;
  readonly structured: Record<string, unknown>;
}

/** An agent: the official client, connected. */
export interface Agent extends AsyncDisposable {
  readonly client: Client;
  call(tool: string, args?: Record<string, unknown>): Promise<ToolAnswer>;
}

/**
 * Connects the official MCP client over Streamable HTTP.
 *
 * @param url Base URL of the server, without `/mcp`.
 * @param token Sent as bearer token, when given.
 */
export async function connectAgent(url: string, token?: string): Promise<Agent> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } });
  const client = new Client({ name: "scenario", version: "1" });
  // @ts-ignore: the SDK's transport is not written for exactOptionalPropertyTypes
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
