import { KnowledgeBaseError } from "../../knowledge_base/mod.ts";
import { TransactionLost } from "./sql.ts";

/** SQLITE_FULL and SQLITE_IOERR (https://www.sqlite.org/rescode.html): the disk is full, or fails. */
const STORAGE_FAILURE = /database or disk is full|disk I\/O error/i;

/** Whether SQLite could not write. node:sqlite does not give the result code of every error, but always the words. */
export function isStorageFailure(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (STORAGE_FAILURE.test(cause.message)) return true;
  }
  return false;
}

/** A full disk is no fault of the note that met it: the note waits until there is room. */
export function rethrowStorageFailure(error: unknown): void {
  if (error instanceof TransactionLost || isStorageFailure(error)) throw error;
}

/** What a failed write tells its caller. SQLite's own words stay in the cause, for the log. */
export function toStoreError(error: unknown): KnowledgeBaseError {
  if (error instanceof KnowledgeBaseError) return error;
  const cause = error instanceof TransactionLost ? error.cause : error;
  if (cause instanceof KnowledgeBaseError) return cause;
  return isStorageFailure(cause)
    ? new KnowledgeBaseError(
      "storage_full",
      "The disk is full or failing. Nothing was changed: make room on the engine's disk, then try again",
      { cause },
    )
    : new KnowledgeBaseError(
      "internal",
      "The store failed at this and changed nothing: see the log of the engine",
      {
        cause,
      },
    );
}
