import {
  type JSONRPCRequest,
  type MessageExtraInfo,
  PerRequestHTTPServerTransport,
  type Result,
  Server,
  SERVER_INFO_META_KEY,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Answer } from "./answer.ts";
import { Exchanges } from "./exchanges.ts";
import { errorMessage, RPC, type RpcRequest } from "./json_rpc.ts";
import { LIST_TTL_MS, type MethodResult, Methods } from "./methods.ts";
import { noValidator } from "./no_validator.ts";
import { progressOf, type ProgressToken } from "./progress.ts";
import { readsEvents } from "./reads_events.ts";
import { refusalOf } from "./refusal_2026.ts";
import { readMeta } from "./request_meta.ts";
import { serialized } from "./serialized.ts";
import {
  type CallContext,
  type ServerDescription,
  serverInfoOf,
  type SharedContext,
} from "./server_description.ts";
import { MODERN_VERSION, PROTOCOL_VERSIONS } from "./versions.ts";

/** `MissingRequiredClientCapability` of MCP 2026-07-28. */
const MISSING_REQUIRED_CLIENT_CAPABILITY = -32021;

/** What was told apart already, for the SDK. */
const CLASSIFICATION = { era: "modern", revision: MODERN_VERSION } as const;

/** Parameters for the SDK, which copies what it is given. */
const NONE = {};

/** What a call brings along; its parameters too, which the SDK would copy. */
interface Carried {
  readonly params: Readonly<Record<string, unknown>>;
  readonly call: CallContext;
  readonly progressToken: ProgressToken | undefined;
}

/**
 * The protocol revision 2026-07-28: one long-lived protocol server for all clients, which suits it, since each request
 * says all that is to be known of its client.
 */
export class Protocol2026 implements AsyncDisposable {
  readonly #exchanges: Exchanges;
  readonly #transport: ExchangeTransport;
  readonly #server: Server;
  readonly #methods: Methods;
  /** What `server/discover` answers. */
  readonly #discovered: Result;
  /** The last members of every result: its type, and who answers. */
  readonly #closing: { readonly resultType: "complete"; readonly _meta: Record<string, unknown> };
  readonly #closingJson: string;
  /** Answers that are always the same, with the fields of this era. */
  readonly #constants = new Map<MethodResult, Result>();

  private constructor(description: ServerDescription, shared: SharedContext) {
    const { name, title, version, instructions } = description;
    // -32002 has become a mere error of parameters (MCP 2026-07-28, Overview, Error Codes).
    this.#methods = new Methods(description, shared, { resourceNotFound: RPC.invalidParams });
    const { capabilities } = this.#methods;
    this.#closing = { resultType: "complete", _meta: { [SERVER_INFO_META_KEY]: { name, title, version } } };
    this.#closingJson = `,${JSON.stringify(this.#closing).slice(1)}`;
    this.#server = new Server({ name, title, version }, {
      capabilities,
      instructions,
      jsonSchemaValidator: noValidator,
      supportedProtocolVersions: [MODERN_VERSION],
    });
    this.#server.onerror = (error) => shared.log.warn("protocol error", { error });
    this.#server.removeRequestHandler("server/discover");
    this.#server.fallbackRequestHandler = (request, context) => this.#answer(request, context);
    this.#exchanges = new Exchanges({
      statusOf,
      disconnectCancels: true,
      abort: (requestId) =>
        this.#transport.onmessage?.({
          jsonrpc: "2.0",
          method: "notifications/cancelled",
          params: { requestId },
        }, { classification: CLASSIFICATION }),
    });
    this.#transport = new ExchangeTransport(this.#exchanges);
    for (const constant of this.#methods.constants) this.#constants.set(constant, this.#complete(constant));
    this.#discovered = {
      ...this.#complete({
        result: { supportedVersions: PROTOCOL_VERSIONS, capabilities, instructions },
        ttlMs: LIST_TTL_MS,
        isPublic: true,
      }),
      // Only who discovers a server wants to see its picture; each answer names it.
      _meta: { [SERVER_INFO_META_KEY]: serverInfoOf(description) },
    };
  }

  /** Starts the protocol server. */
  static async start(description: ServerDescription, shared: SharedContext): Promise<Protocol2026> {
    const protocol = new Protocol2026(description, shared);
    await protocol.#server.connect(protocol.#transport);
    // The envelope of a request was checked when it was refused or not; checking it again took a tenth of a small call.
    const codec = { ...protocol.#server["_negotiatedWireCodec"](), checkInboundEnvelope: () => undefined };
    protocol.#server["_negotiatedWireCodec"] = () => codec;
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
    const { id, method, params = {} } = request;
    const refusal = refusalOf(request, version, call.headers);
    if (refusal) return refusal;
    const meta = readMeta(params["_meta"]);
    if ("problem" in meta) {
      return { status: 400, body: errorMessage(RPC.invalidParams, `Invalid params: ${meta.problem}`, id) };
    }
    const { progressToken } = meta;
    const carried: Carried = { params, call, progressToken };
    const extra: MessageExtraInfo = {
      classification: CLASSIFICATION,
      authInfo: { token: "", clientId: "", scopes: [], extra: { carried } },
    };
    let ownId: number;
    const watch = () =>
      call.watchClient({
        disconnected: () => this.#exchanges.cancel(ownId),
        begin: () => this.#exchanges.begin(ownId),
      });
    return this.#exchanges.exchange({
      clientId: id,
      asksProgress: progressToken !== undefined,
      readsEvents: () => readsEvents(call.headers),
      watch,
    }, (exchangeId) => {
      ownId = exchangeId;
      this.#server["_onrequest"]({ jsonrpc: "2.0", id: ownId, method, params: NONE }, extra);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.close();
  }

  async #answer({ method }: JSONRPCRequest, { mcpReq, http }: ServerContext): Promise<Result> {
    if (method === "server/discover") return this.#discovered;
    const { params, call, progressToken } = http?.authInfo?.extra?.["carried"] as Carried;
    const answered = await this.#methods.answer(method, params, {
      caller: call.caller,
      baseUrl: call.baseUrl,
      signal: mcpReq.signal,
      links: true,
      report: progressOf(
        progressToken,
        mcpReq.signal,
        (params) => mcpReq.notify({ method: "notifications/progress", params: { ...params } }),
      ),
    });
    return this.#constants.get(answered) ?? this.#complete(answered);
  }

  /**
   * Puts this era's fields to a result. The SDK would add those that are missing, by copies of it; a result that has
   * them all passes as it is, with its text.
   */
  #complete({ result, json, ttlMs, isPublic }: MethodResult): Result {
    const cache = ttlMs === undefined
      ? undefined
      : { ttlMs, cacheScope: isPublic ? "public" as const : "private" as const };
    const complete = { ...result, ...cache, ...this.#closing };
    if (json === undefined) return serialized(complete, undefined);
    const cacheJson = cache === undefined ? "" : `,${JSON.stringify(cache).slice(1, -1)}`;
    return serialized(complete, `${json.slice(0, -1)}${cacheJson}${this.#closingJson}`);
  }
}

/** HTTP statuses that this era prescribes for answers; the envelope was checked before. */
function statusOf(code: unknown): Answer["status"] {
  if (code === RPC.methodNotFound) return 404;
  return code === MISSING_REQUIRED_CLIENT_CAPABILITY ? 400 : 200;
}

/**
 * The SDK's view of {@linkcode Exchanges}. It is one of the SDK's own class because that is what binds the server to
 * the era; nothing of it is used but this.
 */
class ExchangeTransport extends PerRequestHTTPServerTransport {
  readonly #exchanges: Exchanges;

  constructor(exchanges: Exchanges) {
    super({ classification: CLASSIFICATION });
    this.#exchanges = exchanges;
  }

  override send(...[message, options]: Parameters<PerRequestHTTPServerTransport["send"]>): Promise<void> {
    this.#exchanges.send(message, options?.relatedRequestId);
    return Promise.resolve();
  }

  /** Ends the protocol server, which aborts its running calls. */
  override close(): Promise<void> {
    this.onclose?.();
    this.#exchanges.close();
    return Promise.resolve();
  }
}
