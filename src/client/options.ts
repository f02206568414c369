import type { Logger } from "../telemetry/mod.ts";

/** Options of {@linkcode EngineClient}. Everything but `baseUrl` is optional. */
export interface EngineClientOptions {
  /** Base URL such as `http://engine:8000`. May have a path; credentials, query and fragment are rejected. */
  readonly baseUrl: string;
  /**
   * The engine in messages.
   *
   * @default {`engine at ${baseUrl}`}
   */
  readonly name?: string | undefined;
  /** Sent as `Authorization: Bearer …`. Printable ASCII. Never part of a message. */
  readonly apiKey?: string | undefined;
  /**
   * Sends the requests. An embedded engine passes its own handler.
   *
   * @default {globalThis.fetch}
   */
  readonly fetch?: ((request: Request, init?: RequestInit) => Promise<Response>) | undefined;
  /**
   * Deadline of a call in milliseconds, from connecting to the last byte of the response.
   *
   * @default {30_000}
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Timeout of a connection attempt in milliseconds.
   *
   * @default {1_500}
   */
  readonly connectTimeoutMs?: number | undefined;
  /**
   * Maximum size of a response in bytes.
   *
   * @default {33_554_432}
   */
  readonly maxResponseBytes?: number | undefined;
  /**
   * Rejects if nothing listens. Default: a TCP connection to the URL's host, or no probe with a custom
   * `fetch`.
   */
  readonly probe?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** Returns a number from 0 to 1, for the jitter of retries. */
  readonly random?: (() => number) | undefined;
  /** Waits for some milliseconds. Rejects when the signal aborts. */
  readonly delay?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined;
  /** Returns the time of a monotonic clock in milliseconds. */
  readonly now?: (() => number) | undefined;
  /** Receives retries, and losses and recoveries of the connection. Default: silent. */
  readonly log?: Logger | undefined;
}

/** Options of a single call. */
export interface CallOptions {
  /** Cancels the call. */
  readonly signal?: AbortSignal | undefined;
  /** Deadline of this call in milliseconds. */
  readonly timeoutMs?: number | undefined;
}
