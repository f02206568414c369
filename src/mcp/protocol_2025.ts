import type { Implementation, InitializeResult } from "@modelcontextprotocol/sdk/types";
import * as z from "zod";
import type { Logger } from "../telemetry/mod.ts";
import { authorName } from "./author_name.ts";
import { type RequestContext, type ServerDescription, serverInfoOf } from "./context.ts";
import {
  ErrorCode,
  errorMessage,
  isRequestId,
  JsonRpcError,
  type JsonRpcRequest,
  type Params,
  resultMessage,
} from "./json_rpc.ts";
import type { McpResponse } from "./mcp_response.ts";
import { type Methods, truncateName } from "./methods.ts";
import { progressTokenOf } from "./progress.ts";
import { HANDSHAKE_VERSIONS, isHandshakeVersion } from "./protocol_versions.ts";
import { RunningRequests } from "./running_requests.ts";

/**
 * The first protocol version with `resource_link`, and the first whose clients send `MCP-Protocol-Version`.
 */
const FIRST_WITH_RESOURCE_LINKS = "2025-06-18";

/** Parameters of `initialize`; further members are ignored. */
const InitializeParams = z.object({
  protocolVersion: z.string(),
  capabilities: z.looseObject({}),
  clientInfo: z.object({ name: z.string(), version: z.string() }),
});

/**
 * The protocol versions from 2024-11-05 to 2025-11-25.
 *
 * Stateless: `initialize` negotiates a version and stores nothing, so that any request may come first and
 * several servers may share one address. The session id only identifies the client that may cancel a request.
 */
export class Protocol2025 {
  /** Requests without a complete response. */
  readonly running: RunningRequests;
  readonly #methods: Methods;
  /** The result of `initialize`, without the version and the instructions. */
  readonly #server: Pick<InitializeResult, "capabilities" | "serverInfo">;
  readonly #instructions: ServerDescription["instructions"];

  constructor(description: ServerDescription, methods: Methods, log: Logger) {
    this.#methods = methods;
    // MCP 2025-11-25, Transports: "Disconnection SHOULD NOT be interpreted as the client cancelling its
    // request."
    this.running = new RunningRequests({ log, cancelOnDisconnect: false });
    this.#server = {
      capabilities: methods.capabilities,
      serverInfo: serverInfoOf(description) satisfies Implementation,
    };
    this.#instructions = description.instructions;
  }

  /**
   * Handles one request.
   *
   * @param version The `MCP-Protocol-Version` header.
   */
  handle(
    request: JsonRpcRequest,
    version: string | null,
    context: RequestContext,
  ): Promise<McpResponse> | McpResponse {
    const { id, method, params = {} } = request;
    try {
      const progressToken = progressTokenOf(params);
      if (method === "ping") return { status: 200, body: resultMessage(id, "{}") };
      if (method === "initialize") return this.#initialize(request, context);
      const list = this.#methods.list(method, params, context.caller);
      if (list) return { status: 200, body: resultMessage(id, list.json) };
      const run = this.#methods.get(method);
      if (!run) {
        throw new JsonRpcError(ErrorCode.methodNotFound, `Method not found: ${truncateName(method)}`);
      }
      return this.running.run({ id, context, progressToken }, async ({ signal, report }) => {
        const { json } = await run(params, {
          caller: { ...context.caller, name: authorName(context.caller.key, params, context.headers) },
          baseUrl: context.baseUrl,
          signal,
          report,
          resourceLinks: version !== null && version >= FIRST_WITH_RESOURCE_LINKS,
          resourceNotFoundCode: ErrorCode.resourceNotFound,
        });
        return json;
      });
    } catch (error) {
      if (!(error instanceof JsonRpcError)) throw error;
      return { status: 200, body: errorMessage(error, id), isRejected: true };
    }
  }

  /**
   * Handles `notifications/cancelled` (MCP 2025-11-25, Cancellation). Request ids repeat between clients, so
   * a client is identified by its token and its session; a notification without a session cancels nothing.
   */
  cancel({ requestId }: Params, { caller, headers }: RequestContext): void {
    const sessionId = headers.get("mcp-session-id");
    if (sessionId === null || !isRequestId(requestId)) return;
    this.running.cancel(({ id, context }) =>
      id === requestId && context.caller.id === caller.id &&
      context.headers.get("mcp-session-id") === sessionId
    );
  }

  #initialize({ id, params }: JsonRpcRequest, { caller }: RequestContext): McpResponse {
    const { data, error } = InitializeParams.safeParse(params ?? {});
    if (!data) {
      const path = error.issues[0]?.path.join(".") || "params";
      throw new JsonRpcError(
        ErrorCode.invalidParams,
        `Invalid params: "${path}" is missing or has the wrong type`,
      );
    }
    const protocolVersion = isHandshakeVersion(data.protocolVersion)
      ? data.protocolVersion
      : HANDSHAKE_VERSIONS[0];
    const instructions = this.#instructions(caller.scope);
    const result: InitializeResult = { protocolVersion, ...this.#server, instructions };
    return { status: 200, body: resultMessage(id, JSON.stringify(result)), sessionId: crypto.randomUUID() };
  }
}
