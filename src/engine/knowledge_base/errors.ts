/** Options of {@linkcode KnowledgeBaseError}. */
export interface KnowledgeBaseErrorOptions extends ErrorOptions {
  /** Data for programs, as the contract describes it for the code. Must be JSON. */
  readonly details?: unknown;
}

/** Error of a {@linkcode KnowledgeBase}. Its fields can be sent to another thread. */
export class KnowledgeBaseError extends Error {
  /** Always `KnowledgeBaseError`. */
  override name = "KnowledgeBaseError";
  /** Machine-readable reason; a code of the engine's HTTP contract. */
  readonly code:
    | "not_found"
    | "not_a_note"
    | "forbidden"
    | "invalid"
    | "conflict"
    | "version_conflict"
    | "expired"
    | "queue_full"
    | "busy"
    | "timeout"
    | "storage_full"
    | "outcome_unknown"
    | "read_only"
    | "storage_damaged"
    | "internal";
  /** Data for programs. */
  readonly details: unknown;

  /** The message is for the caller, the cause for the log. */
  constructor(
    code: KnowledgeBaseError["code"],
    message: string,
    { details, ...options }: KnowledgeBaseErrorOptions = {},
  ) {
    super(message, options);
    this.code = code;
    this.details = details;
  }
}
