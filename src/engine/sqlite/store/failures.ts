import { KnowledgeBaseError } from "../../knowledge_base/mod.ts";
import { TransactionLostError } from "./sql.ts";

/** Messages of SQLITE_FULL and SQLITE_IOERR (https://www.sqlite.org/rescode.html). */
const STORAGE_FAILURE = /database or disk is full|disk I\/O error/i;

/** Whether the disk is full or failing. node:sqlite does not report the result code of every error, but always its message. */
export function isStorageFailure(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (STORAGE_FAILURE.test(cause.message)) return true;
  }
  return false;
}

/** Rethrows an error that is not the fault of a note, so that the note stays queued until there is space. */
export function rethrowStorageFailure(error: unknown): void {
  if (error instanceof TransactionLostError || isStorageFailure(error)) throw error;
}

/** Converts the error of a write for its caller. Messages of SQLite stay in the cause, for the log. */
export function toStoreError(error: unknown): KnowledgeBaseError {
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
      "The store could not do this and changed nothing: see the log of the engine",
      {
        cause,
      },
    );
}
