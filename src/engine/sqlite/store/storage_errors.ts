import { KnowledgeBaseError } from "../../knowledge_base/mod.ts";
import { isOutOfMemory, TransactionLostError } from "./sql.ts";

/** Why the storage cannot be used; codes of the engine's contract. */
export type StorageFault = "storage_damaged" | "storage_full" | "read_only";

/** Primary result codes of SQLite (https://www.sqlite.org/rescode.html). */
const FAULTS_BY_RESULT_CODE: Readonly<Record<number, StorageFault>> = {
  8: "read_only", // SQLITE_READONLY
  10: "storage_full", // SQLITE_IOERR
  11: "storage_damaged", // SQLITE_CORRUPT
  13: "storage_full", // SQLITE_FULL
  26: "storage_damaged", // SQLITE_NOTADB
};

/** Messages of these codes, and of FTS5: `exec` and errors from other threads have no result code. */
const FAULTS_BY_MESSAGE: readonly (readonly [RegExp, StorageFault])[] = [
  [/^(?:Error: )?(?:database disk image is malformed|malformed database schema)/, "storage_damaged"],
  [/^(?:Error: )?(?:file is not a database|fts5: (?:corrupt|missing row))/, "storage_damaged"],
  [/^(?:Error: )?attempt to write a readonly database/, "read_only"],
  [/^(?:Error: )?(?:database or disk is full|disk I\/O error)/i, "storage_full"],
];

/** Errors of the operating system for a write. */
const FAULTS_BY_OS_CODE: Readonly<Record<string, StorageFault>> = {
  ENOSPC: "storage_full",
  EDQUOT: "storage_full",
  EIO: "storage_full",
  EROFS: "read_only",
};

/**
 * Codes of errors that are about a request. Threat: their messages and causes quote the caller, who could
 * write the message of a damaged disk into a cursor or a tag.
 */
const REQUEST_CODES: ReadonlySet<unknown> = new Set([
  "invalid",
  "not_found",
  "not_a_note",
  "conflict",
  "version_conflict",
  "expired",
  "queue_full",
  "busy",
  "timeout",
]);

/** Returns the fault of the storage that caused an error; `undefined` for any other error. */
export function storageFault(error: unknown): StorageFault | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code, errcode } = cause as Error & { code?: unknown; errcode?: unknown };
    if (code === "storage_damaged" || code === "storage_full" || code === "read_only") return code;
    if (REQUEST_CODES.has(code)) return undefined;
    const { message } = cause;
    const fault = (typeof errcode === "number" ? FAULTS_BY_RESULT_CODE[errcode & 0xff] : undefined) ??
      (typeof code === "string" ? FAULTS_BY_OS_CODE[code] : undefined) ??
      FAULTS_BY_MESSAGE.find(([pattern]) => pattern.test(message))?.[1];
    if (fault) return fault;
  }
  return undefined;
}

/** Whether the disk is full or failing. */
export function isStorageFailure(error: unknown): boolean {
  return storageFault(error) === "storage_full";
}

/** Rethrows an error that is not caused by a note, so that the note stays queued. */
export function throwIfStorageFailure(error: unknown): void {
  if (error instanceof TransactionLostError || storageFault(error) || isOutOfMemory(error)) throw error;
}

/** For the caller of a request. Nothing of SQLite's message, which may contain SQL. */
const MESSAGES: Readonly<Record<StorageFault, string>> = {
  storage_damaged:
    "The engine's data is damaged. Nothing was changed: tell the operator, who finds what to do in the engine's log",
  storage_full:
    "The disk of the engine is full or failing. Nothing was changed: free some space, then try again",
  read_only:
    "The engine's disk is read-only. Nothing was changed: tell the operator, who must make it writable again",
};

/** Converts the error of a write. SQLite's message becomes the cause, for the log only. */
export function toKnowledgeBaseError(error: unknown): KnowledgeBaseError {
  if (error instanceof KnowledgeBaseError) return error;
  const cause = error instanceof TransactionLostError ? error.cause : error;
  if (cause instanceof KnowledgeBaseError) return cause;
  if (isOutOfMemory(cause)) {
    return new KnowledgeBaseError(
      "queue_full",
      "The engine has no free memory. Nothing was changed: try again in a moment",
      { cause },
    );
  }
  const fault = storageFault(cause);
  return fault ? storageFaultError(fault, cause) : new KnowledgeBaseError(
    "internal",
    "Cannot write to the store. Nothing was changed: see the log of the engine",
    { cause },
  );
}

/** Returns the error that reports a fault to callers. */
export function storageFaultError(fault: StorageFault, cause?: unknown): KnowledgeBaseError {
  return new KnowledgeBaseError(fault, MESSAGES[fault], cause === undefined ? undefined : { cause });
}
