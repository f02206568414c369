import { KnowledgeBaseError } from "../../knowledge_base/mod.ts";
import { TransactionLostError } from "./sql.ts";

/** Messages of SQLITE_FULL and SQLITE_IOERR (https://www.sqlite.org/rescode.html). */
const STORAGE_FAILURE = /database or disk is full|disk I\/O error/i;

/**
 * Whether the disk is full or failing. Checks messages, since node:sqlite does not report every result code.
 */
export function isStorageFailure(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (STORAGE_FAILURE.test(cause.message)) return true;
  }
  return false;
}

/** Rethrows an error that is not caused by a note, so that the note stays queued. */
export function throwIfStorageFailure(error: unknown): void {
  if (error instanceof TransactionLostError || isStorageFailure(error)) throw error;
}

/** Converts the error of a write. SQLite's message becomes the cause, for the log only. */
export function toKnowledgeBaseError(error: unknown): KnowledgeBaseError {
  if (error instanceof KnowledgeBaseError) return error;
  const cause = error instanceof TransactionLostError ? error.cause : error;
  if (cause instanceof KnowledgeBaseError) return cause;
  return isStorageFailure(cause)
    ? new KnowledgeBaseError(
      "storage_full",
      "The disk of the engine is full or failing. Nothing was changed: free some space, then try again",
      { cause },
    )
    : new KnowledgeBaseError(
      "internal",
      "Cannot write to the store. Nothing was changed: see the log of the engine",
      {
        cause,
      },
    );
}
