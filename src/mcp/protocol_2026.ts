import {
  classifyInboundRequest,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type JSONRPCRequest,
  LOG_LEVEL_META_KEY,
  type MessageExtraInfo,
  PerRequestHTTPServerTransport,
  PROTOCOL_VERSION_META_KEY,
  type Result,
  Server,
  SERVER_INFO_META_KEY,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Answer } from "./answer.ts";
import { Exchanges, serialized } from "./exchanges.ts";
import { errorMessage, isObject, RPC, type RpcRequest } from "./json_rpc.ts";
import { type MethodResult, Methods } from "./methods.ts";
import { progressReporter, type ProgressToken, silent } from "./progress.ts";
import { readMeta, readsEvents } from "./request_meta.ts";
import {
  type CallContext,
  type ServerDescription,
  serverInfoOf,
  type SharedContext,
} from "./server_description.ts";
import { headerProblem } from "./standard_headers.ts";
import { unsupportedVersion } from "./unsupported_version.ts";
import { MODERN_VERSION, PROTOCOL_VERSIONS } from "./versions.ts";

/** Error codes of MCP 2026-07-28. */
const HEADER_MISMATCH = -32020;
const MISSING_REQUIRED_CLIENT_CAPABILITY = -32021;

/** What was told apart already, for the SDK. */
const CLASSIFICATION = { era: "modern", revision: MODERN_VERSION } as const;

/** What the SDK wants to see of the client; what the client said was checked before. */
const ENVELOPE = { [PROTOCOL_VERSION_META_KEY]: MODERN_VERSION, [CLIENT_CAPABILITIES_META_KEY]: {} };

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
  readonly #discovered: MethodResult;
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
    this.#discovered = {
      result: { supportedVersions: PROTOCOL_VERSIONS, capabilities, instructions },
      ttlMs: 300_000,
      isPublic: true,
    };
    // For what clients are asked for and answer: never. The default one is another validator's 40 KB.
    const jsonSchemaValidator = {
      getValidator: () => () => ({ valid: false as const, data: undefined, errorMessage: "unused" }),
    };
    this.#server = new Server({ name, title, version }, {
      capabilities,
      instructions,
      jsonSchemaValidator,
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
    for (const [, constant] of this.#methods.constants) {
      this.#constants.set(constant, this.#complete(constant));
    }
    // Only who discovers a server wants to see its picture; each answer names it.
    this.#constants.set(this.#discovered, {
      ...this.#complete(this.#discovered),
      _meta: { [SERVER_INFO_META_KEY]: serverInfoOf(description) },
    });
  }

  /** Starts the protocol server. */
  static async start(description: ServerDescription, shared: SharedContext): Promise<Protocol2026> {
    const protocol = new Protocol2026(description, shared);
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
    const { id, method, params = {} } = request;
    const refusal = refuse(request, version, call.headers);
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
    const streams = () => readsEvents(call.headers);
    let ownId: number;
    const watch = () =>
      call.watchClient({
        disconnected: () => this.#exchanges.cancel(ownId),
        begin: () => this.#exchanges.begin(ownId),
      });
    return this.#exchanges.exchange({ clientId: id, streams, watch }, (exchangeId) => {
      ownId = exchangeId;
      this.#server["_onrequest"]({ jsonrpc: "2.0", id: ownId, method, params: { _meta: ENVELOPE } }, extra);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.close();
  }

  async #answer({ method }: JSONRPCRequest, { mcpReq, http }: ServerContext): Promise<Result> {
    if (method === "server/discover") return this.#constants.get(this.#discovered) as Result;
    const { params, call, progressToken } = http?.authInfo?.extra?.["carried"] as Carried;
    const answered = await this.#methods.answer(method, params, {
      caller: call.caller,
      baseUrl: call.baseUrl,
      signal: mcpReq.signal,
      links: true,
      report: progressToken === undefined ? silent : progressReporter(
        progressToken,
        (params) => void mcpReq.notify({ method: "notifications/progress", params: { ...params } }),
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

/**
 * Why a request that claims this era is not served, if so. What is plainly right is seen at once; what is not, the
 * SDK's classifier judges, whose order of checks clients rely on.
 */
function refuse(
  request: RpcRequest,
  version: string | null,
  headers: Pick<Headers, "get">,
): Answer | undefined {
  const { id, params } = request;
  const method = headers.get("mcp-method");
  const meta = params?.["_meta"];
  const isPlain = version === MODERN_VERSION && isObject(meta) && isPlainEnvelope(meta) &&
    method === request.method;
  if (!isPlain) {
    const verdict = classifyInboundRequest({
      httpMethod: "POST",
      ...given("protocolVersionHeader", version),
      ...given("mcpMethodHeader", method),
      body: request,
    });
    if (verdict.kind === "reject") {
      // It repeats what was sent, at any length.
      const message = verdict.message.length > 500 ? `${verdict.message.slice(0, 500)}…` : verdict.message;
      const data = JSON.stringify(verdict.data ?? null).length > 1000 ? undefined : verdict.data;
      return { status: 400, body: errorMessage(verdict.code, message, id, data) };
    }
    const requested = verdict.kind === "modern" ? verdict.classification.revision : verdict.requestedVersion;
    if (requested !== MODERN_VERSION) return unsupportedVersion(requested ?? "none", id);
  }
  const problem = headerProblem(request, { version, method, name: () => headers.get("mcp-name") });
  return problem === undefined
    ? undefined
    : { status: 400, body: errorMessage(HEADER_MISMATCH, `Header mismatch: ${problem}`, id) };
}

/** HTTP statuses that this era prescribes for answers; the envelope was checked before. */
function statusOf(code: unknown): Answer["status"] {
  if (code === RPC.methodNotFound) return 404;
  return code === MISSING_REQUIRED_CLIENT_CAPABILITY ? 400 : 200;
}

/** Whether what a request says of its client is all there, and of the shape that it should have. */
function isPlainEnvelope(meta: Record<string, unknown>): boolean {
  const client = meta[CLIENT_INFO_META_KEY];
  return meta[PROTOCOL_VERSION_META_KEY] === MODERN_VERSION && isObject(meta[CLIENT_CAPABILITIES_META_KEY]) &&
    meta[LOG_LEVEL_META_KEY] === undefined && (client === undefined ||
      (isObject(client) && typeof client["name"] === "string" && typeof client["version"] === "string"));
}

function given<Name extends string>(name: Name, value: string | null): { [K in Name]?: string } {
  return value === null ? {} : { [name]: value } as { [K in Name]: string };
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
