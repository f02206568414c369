import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";

/** Prepared statements by connection and text. Texts are constants of this program, so their number is bounded. */
const statements = new WeakMap<DatabaseSync, Map<string, StatementSync>>();

function prepare(db: DatabaseSync, sql: string): StatementSync {
  let cache = statements.get(db);
  if (!cache) statements.set(db, cache = new Map());
  let statement = cache.get(sql);
  if (!statement) cache.set(sql, statement = db.prepare(sql));
  return statement;
}

/** All rows. `Row` states what the SELECT list yields; SQLite's STRICT tables hold it to that. */
export function all<Row>(db: DatabaseSync, sql: string, ...params: SQLInputValue[]): Row[] {
  return prepare(db, sql).all(...params) as Row[];
}

/** The first row, if there is one. */
export function first<Row>(db: DatabaseSync, sql: string, ...params: SQLInputValue[]): Row | undefined {
  return prepare(db, sql).get(...params) as Row | undefined;
}

/** The only column of a query that always yields one row, such as a count. */
export function count(db: DatabaseSync, sql: string, ...params: SQLInputValue[]): number {
  return first<{ n: number }>(db, sql, ...params)?.n ?? 0;
}

/** Runs a statement that changes rows; returns how many, and the rowid of the last insert. */
export function run(
  db: DatabaseSync,
  sql: string,
  ...params: SQLInputValue[]
): { changes: number; id: number } {
  const { changes, lastInsertRowid } = prepare(db, sql).run(...params);
  return { changes: Number(changes), id: Number(lastInsertRowid) };
}

/**
 * Runs `work` inside a savepoint: all of it happens, or nothing.
 *
 * @throws {TransactionLost} When there is no transaction left to go on with: SQLite undoes all of it by itself when the
 * disk is full or fails. What came before in the same transaction is gone as well.
 */
export function savepoint<T>(db: DatabaseSync, work: () => T): T {
  run(db, "SAVEPOINT step");
  try {
    const result = work();
    run(db, "RELEASE step");
    return result;
  } catch (error) {
    if (error instanceof TransactionLost) throw error;
    try {
      run(db, "ROLLBACK TO step");
      run(db, "RELEASE step");
    } catch {
      throw new TransactionLost("The transaction was rolled back", { cause: error });
    }
    throw error;
  }
}

/**
 * Runs `work` in a transaction of its own, which has the right to write from its beginning: all of it happens, or nothing.
 */
export function inTransaction<T>(db: DatabaseSync, work: () => T): T {
  db.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    db.exec("COMMIT");
    return result;
  } catch (error) {
    try {
      db.exec("ROLLBACK");
    } catch {
      // SQLite has rolled back by itself already.
    }
    throw error;
  }
}

/** The transaction around a savepoint was rolled back; the cause says why. */
export class TransactionLost extends Error {
  override name = "TransactionLost";
}

/**
 * Text as SQLite gives it back unchanged. A lone surrogate has no UTF-8, and node:sqlite ends a text that it reads at
 * the first NUL; both become U+FFFD.
 */
export function storable(text: string): string {
  return (text.includes("\0") ? text.replaceAll("\0", "\ufffd") : text).toWellFormed();
}
