import type { DatabaseSync } from "node:sqlite";
import { serializeError } from "../../../async/mod.ts";
import { KnowledgeBaseError } from "../../knowledge_base/mod.ts";
import {
  countCommit,
  isOutOfMemory,
  type Operation,
  rollBack,
  run,
  savepoint,
  type StoreOperations,
  toKnowledgeBaseError,
  TransactionLostError,
  undoFailedCommit,
} from "../store/mod.ts";
import type { WriteCall, WriteResult } from "./protocol.ts";

/**
 * Runs calls in one transaction, so that they share one sync of the disk. An error rolls back only its own call.
 * Results are on disk when this returns.
 *
 * If the commit fails, for instance because the disk is full, every call fails. If memory is short for one call, all are
 * rolled back (see `savepoint`), and each runs again in a transaction of its own.
 *
 * @param onCommit Called with the number of each commit when it is on disk. Its errors are ignored, since they must
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
    // Of a transaction that could not be rolled back while memory was short.
    rollBack(db);
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
    if (!isCommitting && isOutOfMemory(cause instanceof TransactionLostError ? cause.cause : cause)) {
      const again = callsToRepeat(calls);
      if (again.length > 0) return again.flatMap((call) => commitGroup(db, operations, [call], onCommit));
    }
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

/** Returns the calls to run one by one after those of a group were rolled back; none if there is no other way to try. */
function callsToRepeat(calls: readonly WriteCall[]): readonly WriteCall[] {
  if (calls.length > 1) return calls;
  // A note that cannot be stored is queued.
  return calls.filter(({ operation }) => operation === "addNote")
    .map((call) => ({ ...call, operation: "createJob" }));
}

/**
 * Operations that run together in one savepoint: they rarely fail, and FTS5 writes a segment of its index at the start of
 * each savepoint, so that small files in savepoints of their own take twice as long to index.
 */
const INGESTION: ReadonlySet<Operation> = new Set<Operation>([
  "addNote",
  "addFile",
  "createJob",
  "claimFiles",
  "reportProgress",
  "stageChunks",
  "finishFile",
]);

function runCalls(db: DatabaseSync, operations: StoreOperations, calls: readonly WriteCall[]): WriteResult[] {
  const results: WriteResult[] = [];
  while (results.length < calls.length) {
    const rest = calls.slice(results.length);
    const other = rest.findIndex(({ operation }) => !INGESTION.has(operation));
    const shared = other < 0 ? rest : rest.slice(0, other);
    if (shared.length > 1) results.push(...runTogether(db, operations, shared));
    else results.push(runAlone(db, operations, rest[0] as WriteCall));
  }
  return results;
}

/** Runs calls in one savepoint. If one of them fails, runs each in a savepoint of its own. */
function runTogether(
  db: DatabaseSync,
  operations: StoreOperations,
  calls: readonly WriteCall[],
): WriteResult[] {
  try {
    return savepoint(db, () => calls.map((call) => ({ result: runOperation(operations, call) })));
  } catch (error) {
    if (error instanceof TransactionLostError) throw error;
    operations.invalidate();
    return calls.map((call) => runAlone(db, operations, call));
  }
}

/** Runs a call in a savepoint. A note that cannot be stored is queued, and ends or waits by itself. */
function runAlone(db: DatabaseSync, operations: StoreOperations, call: WriteCall): WriteResult {
  const result = runCall(db, operations, call);
  if (call.operation !== "addNote" || "result" in result) return result;
  return runCall(db, operations, { ...call, operation: "createJob" });
}

function runCall(db: DatabaseSync, operations: StoreOperations, call: WriteCall): WriteResult {
  try {
    return { result: savepoint(db, () => runOperation(operations, call)) };
  } catch (error) {
    if (error instanceof TransactionLostError) throw error;
    operations.invalidate();
    return { error: serializeError(toKnowledgeBaseError(error)) };
  }
}

function runOperation(operations: StoreOperations, { operation: name, args }: WriteCall): unknown {
  // `Writer.call` has checked the types of the arguments.
  const operation = operations[name] as (...args: unknown[]) => unknown;
  return operation.apply(operations, [...args]);
}

function unknownOutcome(cause: unknown): KnowledgeBaseError {
  return new KnowledgeBaseError(
    "outcome_unknown",
    "The disk of the engine is failing, and the change may have been made: check it before you repeat it",
    { cause },
  );
}
