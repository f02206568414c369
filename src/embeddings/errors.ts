/** Reason why the embedding model returned no vectors. */
export type EmbeddingErrorCode =
  /** The API key is not accepted. */
  | "unauthorized"
  /** The model rejected a text or the size of a request. */
  | "refused"
  /**
   * The model failed on this request: because of a text (some servers report it this way) or for another
   * reason.
   */
  | "failed"
  /** A setting must be changed: unknown model or path. */
  | "misconfigured"
  /** Rate limit or quota exceeded; may work later. */
  | "overloaded"
  /** Unreachable, too slow, or an invalid response; may work later, or with another text. */
  | "unavailable"
  /** The vectors have other dimensions than configured, or than the stored vectors. */
  | "wrong_dimensions";

/** Options of {@linkcode EmbeddingError}. */
export interface EmbeddingErrorOptions extends ErrorOptions {
  /** Requested delay before the next attempt, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** Whether the request timed out. */
  readonly timedOut?: boolean;
}

/**
 * The embedding model returned no vectors. The message is for users and agents: it contains neither key nor
 * text.
 */
export class EmbeddingError extends Error {
  /** Always `EmbeddingError`. */
  override name = "EmbeddingError";
  /** See {@linkcode EmbeddingErrorCode}. */
  readonly code: EmbeddingErrorCode;
  /** Delay that the server requested with `Retry-After`, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** Whether the request timed out; smaller batches may help. */
  readonly timedOut: boolean;

  /** The cause is for the log. */
  constructor(
    code: EmbeddingErrorCode,
    message: string,
    { retryAfterMs, timedOut = false, ...options }: EmbeddingErrorOptions = {},
  ) {
    super(message, options);
    this.code = code;
    this.retryAfterMs = retryAfterMs;
    this.timedOut = timedOut;
  }
}
