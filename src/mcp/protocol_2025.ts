import { Server } from "@modelcontextprotocol/sdk/server";
// The package's map of types is broken for names that end in .js, and of modules for those that do not.
// @ts-types="@modelcontextprotocol/sdk/types"
import { InitializeRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import type {
  InitializeResult,
  JSONRPCRequest,
  MessageExtraInfo,
  ServerResult,
} from "@modelcontextprotocol/sdk/types";
import type { Tool, ToolContext } from "../tools/mod.ts";
import { escapeNonAscii } from "./ascii.ts";
import { callTool } from "./call_tool.ts";
import { ExchangeTransport, serialized } from "./exchange_transport.ts";
import { errorMessage, isObject, RPC, type RpcRequest } from "./json_rpc.ts";
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
  readonly #list: ReturnType<typeof listTools>;
  /** What `initialize` answers beside the revision. */
  readonly #initialized: Pick<InitializeResult, "capabilities" | "serverInfo" | "instructions">;

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
    this.#server.onerror = (error) => shared.log.warn("protocol error", { error });
    this.#initialized = { capabilities, serverInfo: { name, title, version }, instructions };
    this.#list = listTools(tools);
    serialized(this.#list, escapeNonAscii(JSON.stringify(this.#list)));
    // All methods but ping are answered by the fallback. A handler that is set for a method has its parameters checked
    // against the SDK's schema, whose verdict would go out as an internal error, and its result copied by another one:
    // half the cost of a small call. The results of our tools are checked by our tests.
    this.#server.removeRequestHandler("initialize");
    this.#server.fallbackRequestHandler = (request, extra) => this.#answer(request, extra);
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
  handle({ id, method, params }: RpcRequest, call: CallContext): Promise<string> {
    const problem = params && metaProblem(params["_meta"]);
    if (problem) return Promise.resolve(errorMessage(RPC.invalidParams, `Invalid params: ${problem}`, id));
    const extra: MessageExtraInfo = {
      authInfo: { token: "", clientId: call.caller.id, scopes: [], extra: { call } },
    };
    const rest = params === undefined ? {} : { params: withoutTask(params) };
    // Not by the transport's onmessage: there the SDK first checks by two schemas that a request is no response, which
    // takes longer than all the rest of a call. What comes here is known to be a request.
    return this.#transport.exchange(
      id,
      (ownId) => this.#server["_onrequest"]({ jsonrpc: "2.0", id: ownId, method, ...rest }, extra),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.close();
  }

  async #answer(request: JSONRPCRequest, extra: HandlerExtra): Promise<ServerResult> {
    switch (request.method) {
      case "initialize":
        return this.#initialize(request);
      case "tools/list":
        if (request.params?.["cursor"] === undefined) return this.#list;
        throw new RpcError(
          RPC.invalidParams,
          "Unknown cursor: the list of tools has one page, ask without a cursor",
        );
      case "tools/call":
        return await this.#callTool(request.params ?? {}, extra);
      default:
        throw new RpcError(RPC.methodNotFound, `Method not found: ${request.method}`);
    }
  }

  #initialize(request: JSONRPCRequest): ServerResult {
    const { success, data, error } = InitializeRequestSchema.safeParse(request);
    if (!success) {
      const path = error.issues[0]?.path.slice(1).join(".") || "params";
      throw new RpcError(
        RPC.invalidParams,
        `Invalid params: "${path}" is missing or not what initialize takes`,
      );
    }
    const { protocolVersion } = data.params;
    return {
      protocolVersion: isSpoken(protocolVersion) ? protocolVersion : LATEST_PROTOCOL_VERSION,
      ...this.#initialized,
    };
  }

  async #callTool(params: Record<string, unknown>, extra: HandlerExtra): Promise<ServerResult> {
    const { name, arguments: args = {} } = params;
    if (typeof name !== "string") {
      throw new RpcError(RPC.invalidParams, 'Invalid params: "name" must be a string');
    }
    if (!isObject(args)) {
      throw new RpcError(RPC.invalidParams, 'Invalid params: "arguments" must be an object');
    }
    const tool = this.#tools.get(name);
    if (!tool) throw new RpcError(RPC.invalidParams, `Unknown tool: ${name.slice(0, 128)}`);
    const { caller, baseUrl } = extra.authInfo?.extra?.["call"] as CallContext;
    const context: ToolContext = { ...this.#shared, caller, baseUrl, signal: extra.signal };
    const { result, json } = await callTool(tool, args, context);
    return serialized(result, json) as ServerResult;
  }
}

/** What the SDK tells a handler beside the request. */
interface HandlerExtra {
  readonly signal: AbortSignal;
  readonly authInfo?: MessageExtraInfo["authInfo"];
}

/** What is wrong with the `_meta` of a request (MCP 2025-11-25, `RequestParams`), if anything. */
function metaProblem(meta: unknown): string | undefined {
  if (meta === undefined) return undefined;
  if (!isObject(meta)) return '"_meta" must be an object';
  const { progressToken: token } = meta;
  const isToken = token === undefined || typeof token === "string" || Number.isInteger(token);
  return isToken ? undefined : '"_meta.progressToken" must be a string or an integer';
}

/**
 * A server that has not declared tasks answers a request for one in the ordinary way (MCP 2025-11-25, Tasks); the SDK
 * would refuse it.
 */
function withoutTask(params: Record<string, unknown>): Record<string, unknown> {
  if (!("task" in params)) return params;
  const { task: _, ...rest } = params;
  return rest;
}
