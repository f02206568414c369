import type { Id } from "./primitives.ts";
import type { RouteName } from "./routes.ts";

/** A request of a route by a caller in the engine's process: the parts of an HTTP request as values. */
export interface LocalRequest {
  /** The `{id}` of the path. */
  readonly id?: Id | undefined;
  /** Fields of the query string. Undefined and null are omitted. */
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  /** The JSON body. It is validated, and must not be changed during the call. */
  readonly json?: unknown;
  /** Fields of the form of `createJob`, without a file. */
  readonly fields?: FormData | undefined;
  /** Version that a change requires: `If-Match`. */
  readonly ifVersion?: number | undefined;
  /** Valid name of the author of a change: `X-KB-Actor`. */
  readonly actor?: string | undefined;
  /**
   * Has `search` return its results as a model reads them on this day, such as `2026-03-31`: the response is a
   * `SearchPage`.
   */
  readonly today?: string | undefined;
  /** Cancels the request. */
  readonly signal: AbortSignal;
}

/** The response to a {@linkcode LocalRequest}, with the status and values of the HTTP response. */
export interface LocalResponse {
  readonly status: number;
  /** Values that JSON can represent, or undefined. Must not be changed: requests may share them. */
  readonly body: unknown;
  /** Delay that a `Retry-After` header would request, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

/** An engine in the caller's process, called without HTTP and JSON. */
export interface LocalEngine {
  /** Returns the response of a route. Never rejects: errors are responses with an error body. */
  call(name: RouteName, request: LocalRequest): Promise<LocalResponse>;
  /**
   * Calls a function after a number of milliseconds, or up to a second later. Cheaper than `setTimeout`, for
   * deadlines that almost always are cancelled.
   *
   * @returns Cancels the timer.
   */
  startTimer(onTimeout: () => void, ms: number): () => void;
}
