import type { ProtocolVersion } from "../conformance/suites.ts";

/** Server address and credentials for a client. */
export interface Endpoint {
  /** The MCP endpoint. */
  readonly url: string;
  readonly token: string;
  /** Home directory of the client program. */
  readonly directory: string;
}

/** A connected client: the operations that every client is checked with. */
export interface Connection extends AsyncDisposable {
  /** Returns the names of the tools. */
  listTools(): Promise<string[]>;
  /** Returns the structured content of a tool result. */
  callTool(name: string, args: Record<string, unknown>): Promise<Record<string, unknown>>;
  /** Returns the text of a resource. */
  readResource(uri: string): Promise<string>;
  /** Returns the text of a prompt's messages; undefined for clients without prompts. */
  getPrompt?(name: string, args: Record<string, string>): Promise<string>;
}

/** A published client at an exact version. */
export interface RealClient {
  /** Package and version. */
  readonly name: string;
  /** Protocol versions that it supports. */
  readonly protocolVersions: readonly ProtocolVersion[];
  connect(endpoint: Endpoint, protocolVersion: ProtocolVersion): Promise<Connection>;
}

/** Tool result, as all clients return it. */
export interface ToolResult {
  readonly isError?: boolean;
  readonly content?: readonly { readonly text?: string }[];
  readonly structuredContent?: Record<string, unknown>;
}

/**
 * Returns the structured content of a tool result.
 *
 * @throws {Error} When the tool failed or returned no structured content.
 */
export function structured({ isError, content, structuredContent }: ToolResult): Record<string, unknown> {
  if (!isError && structuredContent) return structuredContent;
  throw new Error(`The tool failed: ${content?.map(({ text }) => text ?? "").join("\n")}`);
}

/** Contents of a resource, as all clients return them. */
export interface ReadResult {
  readonly contents: readonly { readonly text?: string }[];
}

/** Messages of a prompt, as all clients return them. */
export interface PromptResult {
  readonly messages: readonly { readonly content: { readonly text?: string } }[];
}

/** Joins the texts of a resource. */
export function resourceText({ contents }: ReadResult): string {
  return contents.map(({ text }) => text ?? "").join("\n");
}

/** Joins the texts of a prompt. */
export function promptText({ messages }: PromptResult): string {
  return messages.map(({ content }) => content.text ?? "").join("\n");
}

/** Common interface of the client libraries. */
export interface McpClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<ToolResult>;
  readResource(request: { uri: string }): Promise<ReadResult>;
  getPrompt(request: { name: string; arguments: Record<string, string> }): Promise<PromptResult>;
  close(): Promise<void>;
}

/** Adapts a client library. */
export function connectionOf(client: McpClient): Connection {
  return {
    listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
    callTool: async (name, args) => structured(await client.callTool({ name, arguments: args })),
    readResource: async (uri) => resourceText(await client.readResource({ uri })),
    getPrompt: async (name, args) => promptText(await client.getPrompt({ name, arguments: args })),
    [Symbol.asyncDispose]: () => client.close(),
  };
}
