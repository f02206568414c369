/** What went wrong between us and the embedding model. */
export type EmbeddingErrorCode =
  /** The key is not accepted. */
  | "unauthorized"
  /** The model does not take this text, or a request of this size. */
  | "refused"
  /** The model failed at this request: by the text's fault, as some servers say it, or by its own. */
  | "failed"
  /** Nothing will work before a setting is changed: no such model, no such path. */
  | "misconfigured"
  /** It says that it has too much to do, or that a quota is used up; later it may work. */
  | "overloaded"
  /** Not reachable, too slow, or not answering as the API says; later it may, or with another text. */
  | "unavailable"
  /** Vectors of another length than was asked for, or than those that are stored. */
  | "wrong_dimensions";

/** The embedding model gave no vectors. The message is for agents and people alike; it holds neither key nor text. */
export class EmbeddingError extends Error {
  /** Always `EmbeddingError`. */
  override name = "EmbeddingError";
  /** What programs decide by. */
  readonly code: EmbeddingErrorCode;
  /** How long the server asks to be left alone, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** Whether it was too slow, which fewer texts at once may mend. */
  readonly timedOut: boolean;

  /** The cause is for the log. */
  constructor(
    code: EmbeddingErrorCode,
    message: string,
    { retryAfterMs, timedOut = false, ...options }: ErrorOptions & {
      retryAfterMs?: number | undefined;
      timedOut?: boolean;
    } = {},
  ) {
    super(message, options);
    this.code = code;
    this.retryAfterMs = retryAfterMs;
    this.timedOut = timedOut;
  }
}
