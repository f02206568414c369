import { Server } from "@modelcontextprotocol/sdk/server";
import type { Transport, TransportSendOptions } from "@modelcontextprotocol/sdk/shared/transport";
// The package's map of types is broken for names that end in .js, and of modules for those that do not.
// @ts-types="@modelcontextprotocol/sdk/types"
import { InitializeRequestParamsSchema } from "@modelcontextprotocol/sdk/types.js";
import type {
  InitializeResult,
  JSONRPCMessage,
  JSONRPCRequest,
  MessageExtraInfo,
  ServerNotification,
  ServerResult,
} from "@modelcontextprotocol/sdk/types";
import type { Answer } from "./answer.ts";
import { type ExchangeRequest, Exchanges } from "./exchanges.ts";
import { errorMessage, isRequestId, RPC, type RpcRequest } from "./json_rpc.ts";
import { readsEvents } from "./reads_events.ts";
import { readMeta } from "./request_meta.ts";
import { type MethodResult, Methods } from "./methods.ts";
import { noValidator } from "./no_validator.ts";
import { progressOf, type ProgressToken } from "./progress.ts";
import { RpcError } from "./rpc_error.ts";
import { serialized } from "./serialized.ts";
import {
  type CallContext,
  type ServerDescription,
  serverInfoOf,
  type SharedContext,
} from "./server_description.ts";
import { isLegacy, LATEST_LEGACY_VERSION } from "./versions.ts";

/** "Resource not found" (MCP 2025-11-25, Resources, Error Handling). */
const RESOURCE_NOT_FOUND = -32002;
/** The first revision that has `resource_link`; also the first whose clients name it in a header. */
const FIRST_WITH_LINKS = "2025-06-18";

/** Parameters for the SDK, which checks them by a schema, and takes its time if there are none at all. */
const NONE = {};

/** What a call brings along; its parameters too, in which the SDK would look for what is none of its business here. */
interface Carried {
  readonly params: Readonly<Record<string, unknown>>;
  readonly version: string | null;
  readonly call: CallContext;
  readonly progressToken: ProgressToken | undefined;
}

/** A request in progress; who sent it may cancel it. */
interface CancellableRequest extends ExchangeRequest {
  readonly call: CallContext;
}

/** What the SDK tells a handler beside the request. */
interface HandlerExtra {
  readonly signal: AbortSignal;
  readonly authInfo?: MessageExtraInfo["authInfo"];
  readonly sendNotification: (notification: ServerNotification) => Promise<void>;
}

/**
 * The protocol revisions from 2024-11-05 to 2025-11-25: one long-lived protocol server for all clients.
 *
 * Stateless: `initialize` negotiates a revision and remembers nothing, so any request may come first, and any
 * number of servers may stand behind one address. The session id that it mints only tells the calls of one client from
 * those of another, for the client that cancels one.
 */
export class Protocol2025 implements AsyncDisposable {
  readonly #exchanges: Exchanges<CancellableRequest>;
  readonly #transport: ExchangeTransport;
  readonly #server: Server;
  readonly #methods: Methods;
  /** What `initialize` answers beside the revision. */
  readonly #initialized: Pick<InitializeResult, "capabilities" | "serverInfo" | "instructions">;

  private constructor(description: ServerDescription, shared: SharedContext) {
    const { name, title, version, instructions } = description;
    this.#methods = new Methods(description, shared, { resourceNotFound: RESOURCE_NOT_FOUND });
    const { capabilities } = this.#methods;
    this.#server = new Server({ name, title, version }, {
      capabilities,
      instructions,
      jsonSchemaValidator: noValidator,
    });
    this.#server.onerror = (error) => shared.log.warn("protocol error", { error });
    this.#initialized = { capabilities, serverInfo: serverInfoOf(description), instructions };
    this.#exchanges = new Exchanges<CancellableRequest>({
      statusOf: () => 200,
      disconnectCancels: false,
      abort: (requestId) =>
        this.#transport.onmessage?.({
          jsonrpc: "2.0",
          method: "notifications/cancelled",
          params: { requestId },
        }),
    });
    this.#transport = new ExchangeTransport(this.#exchanges);
    // All methods but ping are answered by the fallback. A handler that is set for a method has its parameters checked
    // against the SDK's schema, whose verdict would go out as an internal error, and its result copied by another one:
    // half the cost of a small call. The results of our tools are checked by our tests.
    this.#server.removeRequestHandler("initialize");
    this.#server.fallbackRequestHandler = (request, extra) => this.#answer(request, extra as HandlerExtra);
  }

  /** Starts the protocol server. */
  static async start(description: ServerDescription, shared: SharedContext): Promise<Protocol2025> {
    const protocol = new Protocol2025(description, shared);
    await protocol.#server.connect(protocol.#transport);
    return protocol;
  }

  /** Requests in progress. */
  get pending(): number {
    return this.#exchanges.pending;
  }

  /**
   * Answers one request; never rejects while the server is open.
   *
   * @param version The header `MCP-Protocol-Version`.
   */
  handle(request: RpcRequest, version: string | null, call: CallContext): Promise<Answer> | Answer {
    const answer = this.#exchange(request, version, call);
    return request.method === "initialize" ? withSession(answer) : answer;
  }

  /**
   * Cancels a running call, if it is known (MCP 2025-11-25, Cancellation). A client without a session cannot be told
   * from the others that number their calls alike, so its notification changes nothing.
   */
  cancel(params: Readonly<Record<string, unknown>>, { caller, headers }: CallContext): void {
    const sessionId = headers.get("mcp-session-id");
    const { requestId } = params;
    if (sessionId === null || !isRequestId(requestId)) return;
    for (const [id, { call }] of this.#exchanges.withClientId(requestId)) {
      if (call.caller.id === caller.id && call.headers.get("mcp-session-id") === sessionId) {
        this.#exchanges.cancel(id);
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.close();
  }

  #exchange(
    { id, method, params = {} }: RpcRequest,
    version: string | null,
    call: CallContext,
  ): Promise<Answer> | Answer {
    const meta = readMeta(params["_meta"]);
    if ("problem" in meta) {
      return { status: 200, body: errorMessage(RPC.invalidParams, `Invalid params: ${meta.problem}`, id) };
    }
    const carried: Carried = { params, version, call, progressToken: meta.progressToken };
    const extra: MessageExtraInfo = { authInfo: { token: "", clientId: "", scopes: [], extra: { carried } } };
    // Not by the transport's onmessage: there the SDK first checks by two schemas that a request is no response, which
    // takes longer than all the rest of a call. What comes here is known to be a request.
    return this.#exchanges.exchange({
      clientId: id,
      call,
      asksProgress: meta.progressToken !== undefined,
      readsEvents: () => readsEvents(call.headers),
    }, (ownId) => this.#server["_onrequest"]({ jsonrpc: "2.0", id: ownId, method, params: NONE }, extra));
  }

  async #answer({ method }: JSONRPCRequest, extra: HandlerExtra): Promise<ServerResult> {
    const { params, version, call, progressToken } = extra.authInfo?.extra?.["carried"] as Carried;
    if (method === "initialize") return this.#initialize(params);
    const { result, json }: MethodResult = await this.#methods.answer(method, params, {
      caller: call.caller,
      baseUrl: call.baseUrl,
      signal: extra.signal,
      links: version !== null && version >= FIRST_WITH_LINKS,
      report: progressOf(
        progressToken,
        extra.signal,
        (params) => extra.sendNotification({ method: "notifications/progress", params }),
      ),
    });
    return serialized(result, json) as ServerResult;
  }

  #initialize(params: Carried["params"]): ServerResult {
    const { success, data, error } = InitializeRequestParamsSchema.safeParse(params);
    if (!success) {
      const path = error.issues[0]?.path.join(".") || "params";
      throw new RpcError(
        RPC.invalidParams,
        `Invalid params: "${path}" is missing or not what initialize takes`,
      );
    }
    const { protocolVersion } = data;
    return {
      protocolVersion: isLegacy(protocolVersion) ? protocolVersion : LATEST_LEGACY_VERSION,
      ...this.#initialized,
    };
  }
}

/** The SDK's view of {@linkcode Exchanges}. */
class ExchangeTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void;
  readonly #exchanges: Exchanges;

  constructor(exchanges: Exchanges) {
    this.#exchanges = exchanges;
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    this.#exchanges.send(message, options?.relatedRequestId);
    return Promise.resolve();
  }

  /** Ends the protocol server, which aborts its running calls. */
  close(): Promise<void> {
    this.onclose?.();
    this.#exchanges.close();
    return Promise.resolve();
  }
}

async function withSession(answer: Promise<Answer> | Answer): Promise<Answer> {
  return { ...await answer, sessionId: crypto.randomUUID() };
}
