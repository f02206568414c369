import { SlotList } from "../data_structures/mod.ts";
import type { Logger } from "../telemetry/mod.ts";
import type { Text } from "../text/mod.ts";
import { ErrorCode, errorMessage, JsonRpcError, resultMessage } from "./json_rpc.ts";
import type { McpResponse } from "./mcp_response.ts";
import { RunningRequest, type RunningRequestOptions } from "./running_request.ts";

/**
 * Requests are checked in this interval, and watched from their second check: after 10 to 20 milliseconds.
 */
const CHECK_INTERVAL_MS = 10;

/** Options of {@linkcode RunningRequests}. */
export interface RunningRequestsOptions {
  readonly log: Logger;
  /** Whether a client that disconnects cancels its request: yes since MCP 2026-07-28, no before. */
  readonly cancelOnDisconnect: boolean;
}

/** The requests of one protocol version that have no complete response yet. */
export class RunningRequests {
  readonly #requests = new SlotList<RunningRequest>();
  readonly #options: RunningRequestsOptions;
  /**
   * Shared by all requests: with a closure for each, V8's scavenger kept every finished request alive until
   * the next full collection, which took a quarter of the time and paused the server for tens of milliseconds
   * (Deno 2.9.6).
   */
  readonly #onDisconnect = (request: RunningRequest) => this.#cancel(request);
  #interval: ReturnType<typeof setInterval> | undefined;

  constructor(options: RunningRequestsOptions) {
    this.#options = options;
  }

  /** Number of running requests. */
  get size(): number {
    return this.#requests.size;
  }

  /**
   * Runs a request. Never rejects: errors become error responses.
   *
   * @param work Resolves to the JSON text of the result.
   * @returns Resolves to the response, or to its beginning.
   */
  run(
    options: RunningRequestOptions,
    work: (request: RunningRequest) => Promise<Text>,
  ): Promise<McpResponse> {
    return new Promise((respond) => {
      const request = new RunningRequest(options, respond);
      this.#requests.add(request);
      if (this.#options.cancelOnDisconnect) {
        request.onDisconnect = this.#onDisconnect;
        this.#interval ??= setInterval(() => this.#watchSlowRequests(), CHECK_INTERVAL_MS);
      }
      work(request).then(
        (result) => this.#end(request, resultMessage(request.id, result)),
        (error) => this.#end(request, errorMessage(this.#toJsonRpcError(error), request.id)),
      );
    });
  }

  /** Cancels the requests that match. */
  cancel(matches: (request: RunningRequest) => boolean): void {
    for (const request of this.#requests.toArray()) {
      if (matches(request)) this.#cancel(request);
    }
  }

  /** Aborts all requests with an error response. */
  close(): void {
    clearInterval(this.#interval);
    for (const request of this.#requests.toArray()) {
      this.#requests.delete(request);
      const message = "The server is shutting down, send the request again later";
      request.abort(errorMessage({ code: ErrorCode.internalError, message }, request.id));
    }
  }

  /** A request that was cancelled or aborted has ended already; its late result is dropped. */
  #end(request: RunningRequest, message: Text): void {
    if (this.#requests.delete(request)) request.end(message);
  }

  #cancel(request: RunningRequest): void {
    if (this.#requests.delete(request)) request.cancel();
  }

  /** Watching a connection costs as much as a small request, so only slow requests are watched. */
  #watchSlowRequests(): void {
    for (const request of this.#requests.toArray()) {
      if (++request.checks !== 2) continue;
      request.watchClient({ onDisconnect: () => this.#cancel(request), onSlow: () => request.begin() });
    }
    if (this.#requests.size > 0) return;
    clearInterval(this.#interval);
    this.#interval = undefined;
  }

  #toJsonRpcError(error: unknown): JsonRpcError {
    if (error instanceof JsonRpcError) return error;
    this.#options.log.error("request failed", { error });
    return new JsonRpcError(ErrorCode.internalError, "Internal error: see the server's log");
  }
}
