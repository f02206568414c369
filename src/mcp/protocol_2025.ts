import { Server } from "@modelcontextprotocol/sdk/server";
// The package's map of types is broken for names that end in .js, and of modules for those that do not.
// @ts-types="@modelcontextprotocol/sdk/types"
import { InitializeRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import type { JSONRPCRequest, MessageExtraInfo, ServerResult } from "@modelcontextprotocol/sdk/types";
import type { Tool, ToolContext } from "../tools/mod.ts";
import { callTool } from "./call_tool.ts";
import { ExchangeTransport, serialized } from "./exchange_transport.ts";
import { RPC, type RpcRequest } from "./json_rpc.ts";
import { listTools } from "./tool_list.ts";
import { isSpoken, LATEST_PROTOCOL_VERSION } from "./versions.ts";

/** What one call adds to the context that all calls share. */
export type CallContext = Pick<ToolContext, "caller" | "baseUrl">;

/** What all calls of a server share. */
export type SharedContext = Omit<ToolContext, "caller" | "baseUrl" | "signal">;

/** What a server says of itself and can do. */
export interface ServerDescription {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  /** For the model: how to use this server well. */
  readonly instructions: string;
  readonly tools: readonly Tool[];
}

/** An error that the protocol server answers as a JSON-RPC error; the SDK's own class would prefix the message. */
class RpcError extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * The protocol revisions from 2024-11-05 to 2025-11-25: one long-lived protocol server for all clients.
 *
 * Stateless: `initialize` negotiates a revision and remembers nothing, so any request may come first, and any
 * number of servers may stand behind one address.
 */
export class Protocol2025 implements AsyncDisposable {
  readonly #transport = new ExchangeTransport();
  readonly #server: Server;
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #shared: SharedContext;

  private constructor(description: ServerDescription, shared: SharedContext) {
    const { name, title, version, instructions, tools } = description;
    const capabilities = { tools: {} };
    this.#shared = shared;
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
    // The validator is for what clients answer to server requests, of which we make none; the default one is an
    // Ajv, 30 ms of start-up for nothing.
    const jsonSchemaValidator = {
      getValidator: () => () => ({ valid: false as const, data: undefined, errorMessage: "unused" }),
    };
    this.#server = new Server({ name, title, version }, { capabilities, instructions, jsonSchemaValidator });
    this.#server.onerror = (error) => {
      const refused = this.#transport.refuseEntering(
        'Invalid request: "params" must have the form of an MCP request\'s, "_meta" and "progressToken" included',
      );
      if (!refused) shared.log.warn("protocol error", { error });
    };

    this.#server.setRequestHandler(InitializeRequestSchema, ({ params }) => ({
      protocolVersion: isSpoken(params.protocolVersion) ? params.protocolVersion : LATEST_PROTOCOL_VERSION,
      capabilities,
      serverInfo: { name, title, version },
      instructions,
    }));
    const list = listTools(tools);
    serialized(list, JSON.stringify(list));
    this.#server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
      if (params?.cursor !== undefined) {
        throw new RpcError(
          RPC.invalidParams,
          "Unknown cursor: the list of tools has one page, ask without a cursor",
        );
      }
      return list;
    });
    // tools/call goes through the fallback, because setRequestHandler would check every result against the SDK's own
    // schema, which copies it: half the cost of a small call. Our tools' results are checked by our tests.
    this.#server.fallbackRequestHandler = (request, extra) => this.#callTool(request, extra);
  }

  /** Starts the protocol server. */
  static async start(description: ServerDescription, shared: SharedContext): Promise<Protocol2025> {
    const protocol = new Protocol2025(description, shared);
    await protocol.#server.connect(protocol.#transport);
    return protocol;
  }

  /** Requests in progress. */
  get pending(): number {
    return this.#transport.pending;
  }

  /** Answers one request; resolves to the JSON text of the answer, and never rejects while the server is open. */
  handle(request: RpcRequest, call: CallContext): Promise<string> {
    const extra: MessageExtraInfo = {
      authInfo: { token: "", clientId: call.caller.id, scopes: [], extra: { call } },
    };
    return this.#transport.request(request, extra);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.close();
  }

  async #callTool(
    request: JSONRPCRequest,
    extra: { signal: AbortSignal; authInfo?: MessageExtraInfo["authInfo"] },
  ): Promise<ServerResult> {
    if (request.method !== "tools/call") {
      throw new RpcError(RPC.methodNotFound, `Method not found: ${request.method}`);
    }
    const { name, arguments: args = {} } = (request.params ?? {}) as { name?: unknown; arguments?: unknown };
    if (typeof name !== "string") {
      throw new RpcError(RPC.invalidParams, 'Invalid params: "name" must be a string');
    }
    if (typeof args !== "object" || args === null || Array.isArray(args)) {
      throw new RpcError(RPC.invalidParams, 'Invalid params: "arguments" must be an object');
    }
    const tool = this.#tools.get(name);
    if (!tool) throw new RpcError(RPC.invalidParams, `Unknown tool: ${name}`);
    const { caller, baseUrl } = extra.authInfo?.extra?.["call"] as CallContext;
    const context: ToolContext = { ...this.#shared, caller, baseUrl, signal: extra.signal };
    const { result, json } = await callTool(tool, args as Record<string, unknown>, context);
    return serialized(result, json) as ServerResult;
  }
}
