import { MetricsRegistry } from "../telemetry/mod.ts";
import type { Tool } from "../tools/mod.ts";
import { CallRecorder } from "./call_recorder.ts";
import type { RequestContext, ServerDescription, SharedContext } from "./context.ts";
import {
  ErrorCode,
  errorMessage,
  type IncomingMessage,
  isObject,
  type JsonRpcRequest,
  type Params,
} from "./json_rpc.ts";
import type { McpResponse } from "./mcp_response.ts";
import { Methods } from "./methods.ts";
import { Protocol2025 } from "./protocol_2025.ts";
import { Protocol2026 } from "./protocol_2026.ts";
import { isHandshakeVersion, STATELESS_VERSION, unsupportedVersion } from "./protocol_versions.ts";
import { PROTOCOL_VERSION_KEY } from "./validate_2026.ts";

/** The protocol implementation that handles a message. */
type Protocol = "2025" | "2026" | "unsupported";

const ACCEPTED: McpResponse = { status: 202, body: null };

/** Dispatches each message to the implementation of its protocol version. */
export class Dispatcher implements Disposable {
  readonly #recorder: CallRecorder;
  readonly #methods: Methods;
  readonly #protocol2025: Protocol2025;
  readonly #protocol2026: Protocol2026;
  #isClosed = false;

  /** @param options.metrics Receives the metrics of this server. */
  constructor(
    description: ServerDescription,
    shared: SharedContext,
    { metrics = new MetricsRegistry() }: { metrics?: MetricsRegistry } = {},
  ) {
    this.#recorder = new CallRecorder(shared.log, metrics);
    this.#methods = new Methods(description, shared, this.#recorder);
    this.#protocol2025 = new Protocol2025(description, this.#methods, shared.log);
    this.#protocol2026 = new Protocol2026(description, this.#methods, shared.log);
    metrics.observed("kb_mcp_requests_in_flight", {
      type: "gauge",
      help: "MCP requests without a complete response.",
      read: () => this.pending,
    });
  }

  /** Serves other tools from now on: clients see them when they request the list again, such as in a new session. */
  setTools(tools: readonly Tool[]): void {
    this.#methods.setTools(tools);
  }

  /** Builds the tool list before the first request. */
  warmUp(): void {
    this.#methods.warmUp();
  }

  /** Number of requests without a complete response. */
  get pending(): number {
    return this.#protocol2025.running.size + this.#protocol2026.running.size;
  }

  /**
   * Handles one message. Never rejects, and throws only after disposal.
   *
   * @param message As {@linkcode parseMessage} returned it.
   * @param context The HTTP request that carried it.
   */
  handle(message: IncomingMessage, context: RequestContext): Promise<McpResponse> | McpResponse {
    if (this.#isClosed) throw new Error("The dispatcher is closed");
    const version = context.headers.get("mcp-protocol-version");
    switch (message.kind) {
      case "invalid":
        return { status: 400, body: errorMessage(message.error, message.id) };
      case "response":
        return handleResponse(version);
      case "notification":
        return this.#handleNotification(message.method, message.params, version, context);
      case "request":
        return this.#recordConstant(
          message.request,
          context,
          this.#handleRequest(message.request, version, context),
        );
    }
  }

  /** Aborts running requests. */
  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#protocol2025.running.close();
    this.#protocol2026.running.close();
  }

  #handleRequest(request: JsonRpcRequest, version: string | null, context: RequestContext) {
    switch (selectProtocol(request.params, version)) {
      case "2025":
        return this.#protocol2025.handle(request, version, context);
      case "2026":
        return this.#protocol2026.handle(request, version, context);
      case "unsupported":
        return rejectVersion(version, request.id);
    }
  }

  /** Records a request whose response needed no work; {@linkcode Methods} records all others. */
  #recordConstant<T extends Promise<McpResponse> | McpResponse>(
    { method }: JsonRpcRequest,
    { caller }: RequestContext,
    response: T,
  ): T {
    if (!(response instanceof Promise)) {
      this.#recorder.record({ method, caller }, { outcome: response.isRejected ? "invalid" : "ok" }, 0);
    }
    return response;
  }

  #handleNotification(
    method: string,
    params: Params,
    version: string | null,
    context: RequestContext,
  ): McpResponse {
    const protocol = selectProtocol(params, version);
    if (protocol === "unsupported") return rejectVersion(version);
    if (protocol === "2025" && method === "notifications/cancelled") {
      this.#protocol2025.cancel(params, context);
    }
    return ACCEPTED;
  }
}

/**
 * Selects the protocol implementation: a message that names a version in `_meta` belongs to 2026-07-28 or
 * later, whatever its headers say. Otherwise the header decides.
 *
 * @param version The `MCP-Protocol-Version` header.
 */
function selectProtocol(params: Params | undefined, version: string | null): Protocol {
  const meta = params?.["_meta"];
  if (isObject(meta) && PROTOCOL_VERSION_KEY in meta) return "2026";
  // Without a header, a client speaks 2025-03-26 (MCP 2025-11-25, Protocol Version Header).
  if (version === null || isHandshakeVersion(version)) return "2025";
  return version === STATELESS_VERSION ? "2026" : "unsupported";
}

/**
 * Accepts a client's response until 2025-11-25; since 2026-07-28 a server sends no requests, so it is an
 * error.
 */
function handleResponse(version: string | null): McpResponse {
  if (selectProtocol(undefined, version) === "2025") return ACCEPTED;
  const message = "Invalid request: this server sends no requests, so it accepts no responses";
  return { status: 400, body: errorMessage({ code: ErrorCode.invalidRequest, message }) };
}

function rejectVersion(version: string | null, id?: JsonRpcRequest["id"]): McpResponse {
  return { status: 400, body: errorMessage(unsupportedVersion(String(version)), id), isRejected: true };
}
