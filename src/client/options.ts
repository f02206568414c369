import type { LocalEngine } from "../contract/mod.ts";
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
   * @default {globalThis.fetch}, with a connection of its own for each change
   */
  readonly fetch?: ((request: Request, init?: RequestInit) => Promise<Response>) | undefined;
  /**
   * Returns the engine while it is in this process: calls go to it as values, except for those with a file, which
   * `fetch` sends.
   *
   * @default no engine
   */
  readonly local?: (() => LocalEngine | undefined) | undefined;
  /** Contract version of the engine, if it is known. @default that of its first status */
  readonly version?: string | undefined;
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

/** Options of a single call that changes something. */
export interface ChangeOptions extends CallOptions {
  /**
   * Changes the document only if this is its current version; otherwise the call fails with
   * `version_conflict`. An engine before contract 3.3 is not called: `engine_too_old`.
   */
  readonly ifVersion?: number | undefined;
  /** Who makes the change, for the history. At most 100 characters; invalid names are not sent. */
  readonly actor?: string | undefined;
}

/** Options of {@linkcode EngineClient.deleteDocument}. */
export interface DeleteOptions extends ChangeOptions {
  /** Erases the document with its history at once. Needs contract 3.3. @default {false} */
  readonly permanent?: boolean | undefined;
}

/** Options of {@linkcode EngineClient.requireVersion}. */
export interface RequireOptions extends CallOptions {
  /**
   * First contract version with the feature.
   *
   * @default {"3.3.0"}
   */
  readonly minimum?: string | undefined;
  /**
   * Whether to accept an engine whose version is not semantic, such as a third-party engine's. For requests that
   * an engine without the feature rejects, not for those that it would misunderstand.
   *
   * @default {false}
   */
  readonly orUnknown?: boolean | undefined;
}
