import type { Logger } from "../telemetry/mod.ts";

/** How to reach an engine. Only `baseUrl` is needed; the rest has defaults or exists for embedding and tests. */
export interface EngineClientOptions {
  /** `http://engine:8000`; may have a path, which stands before `/api/v1`. No credentials, query or fragment. */
  readonly baseUrl: string;
  /** Sent as `Authorization: Bearer …`; printable ASCII. Never part of a message. */
  readonly apiKey?: string | undefined;
  /** Carries the requests. Default: the global `fetch`. The embedded engine's own handler fits too. */
  readonly fetch?: ((request: Request, init?: RequestInit) => Promise<Response>) | undefined;
  /** Deadline of one call in milliseconds, from connecting to the last byte of the answer. Default: 30 000. */
  readonly timeoutMs?: number | undefined;
  /** How long to wait for a connection, in milliseconds, before the engine counts as unreachable. Default: 1500. */
  readonly connectTimeoutMs?: number | undefined;
  /** Largest answer in bytes. Default: 64 MiB. */
  readonly maxAnswerBytes?: number | undefined;
  /** Rejects when nothing listens. Default: a TCP connection to the URL's host; nothing when `fetch` is given. */
  readonly reach?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** A number from 0 to 1, for the jitter of retries. */
  readonly random?: (() => number) | undefined;
  /** Waits; rejects when the signal aborts. */
  readonly delay?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined;
  /** Milliseconds on a clock that never goes back. */
  readonly now?: (() => number) | undefined;
  /** Hears of retries, and of the engine going and coming back. Default: nobody. */
  readonly log?: Logger | undefined;
}

/** What one call may set. */
export interface CallOptions {
  /** Cancels the call. */
  readonly signal?: AbortSignal | undefined;
  /** This call's own deadline in milliseconds. */
  readonly timeoutMs?: number | undefined;
}
