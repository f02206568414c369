import type { Slotted } from "../data_structures/mod.ts";
import { joinText, lengthOf, type Text } from "../text/mod.ts";
import type { Progress } from "../tools/mod.ts";
import type { ClientWatcher, RequestContext } from "./context.ts";
import { ErrorCode, errorMessage, type RequestId } from "./json_rpc.ts";
import { type McpResponse, ResponseStream, type ResponseStreamKind } from "./mcp_response.ts";
import { progressReporter, type ProgressToken } from "./progress.ts";

/** Parameters of a {@linkcode RunningRequest}. */
export interface RunningRequestOptions {
  readonly id: RequestId;
  readonly context: RequestContext;
  /** The client's progress token; without one, progress is not sent. */
  readonly progressToken: ProgressToken | undefined;
}

/** Length of a response from which its memory is counted, in UTF-16 code units. */
const LARGE_RESPONSE_CHARS = 64 * 1024;
const BUSY = "Busy: other large responses are being sent. Try again in a moment, or ask for less";

const ignoreProgress: (progress: Progress) => void = () => {};

/**
 * A request that has no complete response yet. The response is JSON; it becomes an event stream when a
 * notification has to precede the result.
 */
export class RunningRequest implements Slotted {
  /** Index among the running requests. */
  slot = -1;
  readonly id: RequestId;
  readonly context: RequestContext;
  /** Reports progress to the client. */
  readonly report: (progress: Progress) => void;
  /** Number of checks for slow requests that this one has seen. */
  checks = 0;
  /** Called when the client disconnects from a response that has begun. */
  onDisconnect: ((request: RunningRequest) => void) | undefined;
  readonly #progressToken: ProgressToken | undefined;
  readonly #respond: (response: McpResponse) => void;
  readonly #abort = new AbortController();
  #stream: ResponseStream | undefined;
  #stopWatching: (() => void) | undefined;
  #isEnded = false;

  /** @param respond Receives the response, once. */
  constructor(
    { id, context, progressToken }: RunningRequestOptions,
    respond: (response: McpResponse) => void,
  ) {
    this.id = id;
    this.context = context;
    this.#progressToken = progressToken;
    this.#respond = respond;
    this.report = progressToken === undefined
      ? ignoreProgress
      : progressReporter(progressToken, (params) => this.#notify("notifications/progress", params));
  }

  /** Aborts when the request is cancelled or the server closes. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Begins the response before the result is known, unless it has begun. */
  begin(): void {
    if (!this.#stream && !this.#isEnded) {
      this.#begin(this.#progressToken !== undefined && this.#acceptsEvents() ? "events" : "json");
    }
  }

  /** Watches the client's connection from now until the request ends. */
  watchClient(watcher: ClientWatcher): void {
    this.#stopWatching ??= this.context.watchClient(watcher);
  }

  /**
   * Sends the response and ends the request. A large response is a stream, whose memory is counted until the
   * client has read it; without memory the response is an error.
   */
  end(message: Text): void {
    this.#stop();
    const length = lengthOf(message);
    const isLarge = length > LARGE_RESPONSE_CHARS;
    if (isLarge && !this.context.reserveMemory(length)) {
      return this.#send(errorMessage({ code: ErrorCode.rejected, message: BUSY }, this.id));
    }
    if (isLarge && !this.#stream) this.#begin("json");
    this.#send(message);
  }

  /** Sends the response, ends the request and aborts its work. */
  abort(message: Text): void {
    this.end(message);
    this.#abort.abort();
  }

  /**
   * Aborts the work and ends the request without a response, because the client does not expect one (MCP
   * 2025-11-25, Cancellation): as an empty event stream if the client accepts one, otherwise as an error.
   */
  cancel(): void {
    this.#stop();
    if (!this.#stream && this.#acceptsEvents()) this.#begin("events");
    if (this.#stream) this.#stream.end();
    else {
      const error = { code: ErrorCode.rejected, message: "The request was cancelled" };
      this.#respond({ status: 200, body: errorMessage(error, this.id) });
    }
    this.#abort.abort();
  }

  #send(message: Text): void {
    if (this.#stream) this.#stream.end(joinText(message));
    else this.#respond({ status: 200, body: message });
  }

  #notify(method: string, params: unknown): void {
    if (this.#isEnded) return;
    if (!this.#stream && this.#acceptsEvents()) this.#begin("events");
    this.#stream?.notify(JSON.stringify({ jsonrpc: "2.0", method, params }));
  }

  #stop(): void {
    this.#isEnded = true;
    this.#stopWatching?.();
  }

  #begin(kind: ResponseStreamKind): void {
    this.#stream = new ResponseStream(kind, () => this.onDisconnect?.(this));
    this.#respond({ status: 200, body: this.#stream });
  }

  /**
   * Returns whether the client accepts an event stream; otherwise the response is JSON without notifications.
   */
  #acceptsEvents(): boolean {
    const accept = this.context.headers.get("accept");
    return accept !== null && /\btext\/event-stream\b|\btext\/\*|(?:^|,)\s*\*\/\*/i.test(accept);
  }
}
