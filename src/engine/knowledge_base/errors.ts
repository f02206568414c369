/** Error of a {@linkcode KnowledgeBase}. Its fields can be sent to another thread. */
export class KnowledgeBaseError extends Error {
  /** Always `KnowledgeBaseError`. */
  override name = "KnowledgeBaseError";
  /** Machine-readable reason; a code of the engine's HTTP contract. */
  readonly code:
    | "not_found"
    | "not_a_note"
    | "invalid"
    | "queue_full"
    | "storage_full"
    | "outcome_unknown"
    | "read_only"
    | "storage_damaged"
    | "internal";

  /** The message is for the caller, the cause for the log. */
  constructor(code: KnowledgeBaseError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
