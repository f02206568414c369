import type { DatabaseSync } from "node:sqlite";
import { serializeError } from "../../../async/mod.ts";
import { KnowledgeBaseError, type NewJob } from "../../knowledge_base/mod.ts";
import {
  countCommit,
  run,
  savepoint,
  type StoreOperations,
  toKnowledgeBaseError,
  TransactionLostError,
  undoFailedCommit,
} from "../store/mod.ts";
import type { WriteCall, WriteResult } from "./protocol.ts";

/**
 * Runs calls in one transaction, so that they share one sync of the disk, and each in a savepoint, so that an
 * error rolls back only its own call. Results are on disk when this returns.
 *
 * If the commit fails, for instance because the disk is full, every call fails.
 *
 * @param onCommit Called with the number of the commit when it is on disk. Its errors are ignored, since they must
 * not hide the results of a group that is committed: the next commit repeats its work.
 * @returns One result for each call, in the same order.
 */
export function commitGroup(
  db: DatabaseSync,
  operations: StoreOperations,
  calls: readonly WriteCall[],
  onCommit: (commit: number) => void = () => {},
): WriteResult[] {
  let hasBegun = false;
  let isCommitting = false;
  let commit: number;
  let results: WriteResult[];
  try {
    db.exec("BEGIN IMMEDIATE");
    hasBegun = true;
    results = runCalls(db, operations, calls);
    commit = countCommit(db);
    isCommitting = true;
    // Unlike `exec`, reports the result code of an error.
    run(db, "COMMIT");
  } catch (cause) {
    operations.invalidate();
    if (hasBegun) rollBack(db);
    const isUndone = !isCommitting || undoFailedCommit(db, cause);
    const error = serializeError(isUndone ? toKnowledgeBaseError(cause) : unknownOutcome(cause));
    return calls.map(() => ({ error }));
  }
  try {
    onCommit(commit);
  } catch {
    // Optional work.
  }
  return results;
}

/** Maximum number of notes in one savepoint. */
const MAX_NOTES = 64;

function runCalls(db: DatabaseSync, operations: StoreOperations, calls: readonly WriteCall[]): WriteResult[] {
  const results: WriteResult[] = [];
  while (results.length < calls.length) {
    const rest = calls.slice(results.length, results.length + MAX_NOTES);
    const other = rest.findIndex(({ operation }) => operation !== "addNote");
    const notes = other < 0 ? rest : rest.slice(0, other);
    if (notes.length > 0) results.push(...addNotes(db, operations, notes));
    else results.push(runCall(db, operations, rest[0] as WriteCall));
  }
  return results;
}

/**
 * Stores notes in one savepoint, at each of which FTS5 would write a segment. If that fails, for one of them or for
 * lack of memory, they are queued instead, and each ends or waits by itself.
 */
function addNotes(
  db: DatabaseSync,
  operations: StoreOperations,
  calls: readonly WriteCall[],
): WriteResult[] {
  try {
    return savepoint(
      db,
      () => calls.map(({ args }) => ({ result: operations.addNote(...args as [NewJob]) })),
    );
  } catch (error) {
    if (error instanceof TransactionLostError) throw error;
    operations.invalidate();
    return calls.map(({ args }) => runCall(db, operations, { operation: "createJob", args }));
  }
}

function runCall(
  db: DatabaseSync,
  operations: StoreOperations,
  { operation: name, args }: WriteCall,
): WriteResult {
  try {
    // `Writer.call` has checked the types of the arguments.
    const operation = operations[name] as (...args: unknown[]) => unknown;
    return { result: savepoint(db, () => operation.apply(operations, [...args])) };
  } catch (error) {
    if (error instanceof TransactionLostError) throw error;
    operations.invalidate();
    return { error: serializeError(toKnowledgeBaseError(error)) };
  }
}

function unknownOutcome(cause: unknown): KnowledgeBaseError {
  return new KnowledgeBaseError(
    "outcome_unknown",
    "The disk of the engine is failing, and the change may have been made: check it before you repeat it",
    { cause },
  );
}

function rollBack(db: DatabaseSync): void {
  try {
    db.exec("ROLLBACK");
  } catch {
    // SQLite has already rolled back.
  }
}
