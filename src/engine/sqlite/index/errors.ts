/** The pages of the full-text index contradict their format: the database is damaged. */
export class IndexDamagedError extends Error {
  /** Always `IndexDamagedError`. */
  override name = "IndexDamagedError";
  /** A code of the engine's contract. */
  readonly code = "storage_damaged";
}
