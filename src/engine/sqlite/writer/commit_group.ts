import type { DatabaseSync } from "node:sqlite";
import { savepoint, type StoreOperations, toStoreError, TransactionLost } from "../store/mod.ts";
import type { KnowledgeBaseError } from "../../knowledge_base/mod.ts";
import type { Answer, Call, PlainError } from "./protocol.ts";

/**
 * Runs writes that came together in one transaction, so that they share one sync of the disk, each in a savepoint, so that one
 * that fails undoes nothing of the others. When this returns, whatever was answered with a result is on disk.
 *
 * A commit that fails (the disk is full) undoes all of them, and fails all of them.
 */
export function commitGroup(
  db: DatabaseSync,
  operations: StoreOperations,
  calls: readonly Call[],
): Answer[] {
  let begun = false;
  try {
    db.exec("BEGIN IMMEDIATE");
    begun = true;
    const answers = calls.map((call) => runCall(db, operations, call));
    db.exec("COMMIT");
    return answers;
  } catch (error) {
    operations.forget();
    if (begun) rollBack(db);
    const plain = plainError(toStoreError(error));
    return calls.map(({ id }) => ({ id, error: plain }));
  }
}

function runCall(db: DatabaseSync, operations: StoreOperations, { id, op, args }: Call): Answer {
  try {
    // The types of the arguments were checked against the operation where the call was made.
    const operation = operations[op] as (...args: unknown[]) => unknown;
    return { id, result: savepoint(db, () => operation.apply(operations, [...args])) };
  } catch (error) {
    if (error instanceof TransactionLost) throw error;
    operations.forget();
    return { id, error: plainError(toStoreError(error)) };
  }
}

function rollBack(db: DatabaseSync): void {
  try {
    db.exec("ROLLBACK");
  } catch {
    // SQLite has rolled back by itself already.
  }
}

function plainError({ code, message, cause }: KnowledgeBaseError): PlainError {
  return {
    code,
    message,
    ...(cause instanceof Error ? { cause: `${cause.name}: ${cause.message}` } : {}),
  };
}
