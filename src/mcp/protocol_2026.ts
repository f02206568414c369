import type { Implementation } from "@modelcontextprotocol/server";
import type { Logger } from "../telemetry/mod.ts";
import { authorName } from "./author_name.ts";
import { type RequestContext, type ServerDescription, serverInfoOf } from "./context.ts";
import type { Text } from "../text/mod.ts";
import type { Caller } from "../tools/mod.ts";
import { ErrorCode, errorMessage, JsonRpcError, type JsonRpcRequest, resultMessage } from "./json_rpc.ts";
import type { McpResponse } from "./mcp_response.ts";
import { listCacheFor, type MethodResult, type Methods, truncateName } from "./methods.ts";
import { progressTokenOf } from "./progress.ts";
import { PROTOCOL_VERSIONS } from "./protocol_versions.ts";
import { RunningRequests } from "./running_requests.ts";
import { SERVER_INFO_KEY, validateRequest } from "./validate_2026.ts";

/** Protocol version 2026-07-28: stateless, every request describes its client. */
export class Protocol2026 {
  /** Requests without a complete response. */
  readonly running: RunningRequests;
  readonly #methods: Methods;
  /** Members that end every result, as JSON text that begins with a comma. */
  readonly #resultSuffix: string;
  readonly #description: ServerDescription;

  constructor(description: ServerDescription, methods: Methods, log: Logger) {
    this.#methods = methods;
    // MCP 2026-07-28, Streamable HTTP, Cancellation: a closed response stream MUST be treated as a
    // cancellation.
    this.running = new RunningRequests({ log, cancelOnDisconnect: true });
    this.#description = description;
    const { name, title, version } = description;
    this.#resultSuffix = resultSuffix({ name, title, version });
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
    let progressToken;
    try {
      validateRequest(request, version, context.headers);
      progressToken = progressTokenOf(params);
    } catch (error) {
      if (!(error instanceof JsonRpcError)) throw error;
      return { status: 400, body: errorMessage(error, id), isRejected: true };
    }
    if (method === "server/discover") {
      return { status: 200, body: resultMessage(id, this.#discover(context.caller)) };
    }
    const list = this.#methods.list(method, params, context.caller);
    if (list) return { status: 200, body: resultMessage(id, this.#complete(list)) };
    const run = this.#methods.get(method);
    if (!run) {
      const error = { code: ErrorCode.methodNotFound, message: `Method not found: ${truncateName(method)}` };
      return { status: 404, body: errorMessage(error, id), isRejected: true };
    }
    return this.running.run({ id, context, progressToken }, async ({ signal, report }) => {
      const result = await run(params, {
        caller: { ...context.caller, name: authorName(context.caller.key, params, context.headers) },
        baseUrl: context.baseUrl,
        signal,
        report,
        resourceLinks: true,
        resourceNotFoundCode: ErrorCode.invalidParams,
      });
      return this.#complete(result);
    });
  }

  /** Returns the result of `server/discover`. The icon is in this one only: every other repeats the server's name. */
  #discover(caller: Pick<Caller, "scope" | "key">): string {
    const discovered = JSON.stringify({
      supportedVersions: PROTOCOL_VERSIONS,
      capabilities: this.#methods.capabilities,
      instructions: this.#description.instructions(caller.scope),
      ...listCacheFor(caller),
    });
    return `${discovered.slice(0, -1)}${resultSuffix(serverInfoOf(this.#description))}`;
  }

  /** Appends the members that this protocol version adds to a result. */
  #complete({ json, cache }: MethodResult): Text {
    const cacheHints = cache === undefined ? "" : `,${JSON.stringify(cache).slice(1, -1)}`;
    const append = (end: string) => `${end.slice(0, -1)}${cacheHints}${this.#resultSuffix}`;
    return typeof json === "string" ? append(json) : [...json.slice(0, -1), append(json.at(-1) as string)];
  }
}

function resultSuffix(serverInfo: Implementation): string {
  const suffix = { resultType: "complete", _meta: { [SERVER_INFO_KEY]: serverInfo } };
  return `,${JSON.stringify(suffix).slice(1)}`;
}
