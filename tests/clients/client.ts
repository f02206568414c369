import type { Era } from "../conformance/suites.ts";

/** Where a client finds the server, and what it shows there. */
export interface Endpoint {
  /** The MCP endpoint. */
  readonly url: string;
  readonly token: string;
  /** A directory for what a client program leaves behind; its home. */
  readonly directory: string;
}

/** A client, connected: what we ask of each, in its own way of doing it. */
export interface Connection extends AsyncDisposable {
  /** Names of the tools. */
  listTools(): Promise<string[]>;
  /** The structured answer of a tool. */
  callTool(name: string, args: Record<string, unknown>): Promise<Record<string, unknown>>;
  /** The text of a resource. */
  readResource(uri: string): Promise<string>;
  /** The texts of a prompt's messages; absent where the client knows no prompts. */
  getPrompt?(name: string, args: Record<string, string>): Promise<string>;
}

/** A client that people use, at one exact version. */
export interface RealClient {
  /** Package and version. */
  readonly name: string;
  /** What it can speak. */
  readonly eras: readonly Era[];
  connect(endpoint: Endpoint, era: Era): Promise<Connection>;
}

/** What a tool answered, as all clients hand it on. */
export interface ToolResult {
  readonly isError?: boolean;
  readonly content?: readonly { readonly text?: string }[];
  readonly structuredContent?: Record<string, unknown>;
}

/**
 * Takes the structured answer out of a result.
 *
 * @throws {Error} When the tool says that it failed, or answers no structure.
 */
export function structured({ isError, content, structuredContent }: ToolResult): Record<string, unknown> {
  if (!isError && structuredContent) return structuredContent;
  throw new Error(`The tool failed: ${content?.map(({ text }) => text ?? "").join("\n")}`);
}

/** What a resource holds, as all clients hand it on. */
export interface ReadResult {
  readonly contents: readonly { readonly text?: string }[];
}

/** A filled prompt, as all clients hand it on. */
export interface PromptResult {
  readonly messages: readonly { readonly content: { readonly text?: string } }[];
}

/** The texts of a resource. */
export function resourceText({ contents }: ReadResult): string {
  return contents.map(({ text }) => text ?? "").join("\n");
}

/** The texts of a prompt. */
export function promptText({ messages }: PromptResult): string {
  return messages.map(({ content }) => content.text ?? "").join("\n");
}

/** What the clients that are libraries have in common. */
export interface McpClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<ToolResult>;
  readResource(what: { uri: string }): Promise<ReadResult>;
  getPrompt(what: { name: string; arguments: Record<string, string> }): Promise<PromptResult>;
  close(): Promise<void>;
}

/** A connected library, as it is asked here. */
export function connectionOf(client: McpClient): Connection {
  return {
    listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
    callTool: async (name, args) => structured(await client.callTool({ name, arguments: args })),
    readResource: async (uri) => resourceText(await client.readResource({ uri })),
    getPrompt: async (name, args) => promptText(await client.getPrompt({ name, arguments: args })),
    [Symbol.asyncDispose]: () => client.close(),
  };
}
