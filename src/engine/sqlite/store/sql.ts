import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";

/** The types of Deno 2.9 lack the method. */
interface ArrayStatement extends StatementSync {
  setReturnArrays(isEnabled: boolean): void;
}

/** Prepared statements by connection and SQL. */
const statements = new WeakMap<DatabaseSync, Map<string, StatementSync>>();

/** Maximum number of statements of a connection. The filters of listings have thousands of combinations. */
const MAX_STATEMENTS = 500;

function prepare(db: DatabaseSync, sql: string): StatementSync {
  let cache = statements.get(db);
  if (!cache) statements.set(db, cache = new Map());
  let statement = cache.get(sql);
  if (!statement) {
    if (cache.size >= MAX_STATEMENTS) cache.clear();
    cache.set(sql, statement = db.prepare(sql));
  }
  return statement;
}

/** Returns all rows. `Row` must match the SELECT list; STRICT tables guarantee the types. */
export function all<Row>(db: DatabaseSync, sql: string, ...params: SQLInputValue[]): Row[] {
  return prepare(db, sql).all(...params) as Row[];
}

/**
 * Returns all rows, like {@linkcode all}. For a statement that calls a function of search_text.ts: when such a function
 * throws, as for damaged data, `StatementSync.all` of Deno 2.9 does not end.
 */
export function allOneByOne<Row>(db: DatabaseSync, sql: string, ...params: SQLInputValue[]): Row[] {
  // Not kept: after an error, the next use of the statement would fail, too.
  return [...db.prepare(sql).iterate(...params)] as Row[];
}

/**
 * Returns all rows as arrays of their columns: faster than objects for rows of many columns. No other function runs
 * the same SQL.
 */
export function allArrays(db: DatabaseSync, sql: string, ...params: SQLInputValue[]): unknown[][] {
  const statement = prepare(db, sql) as ArrayStatement;
  statement.setReturnArrays(true);
  return statement.all(...params) as unknown as unknown[][];
}

/** Returns the first row, if any. */
export function first<Row>(db: DatabaseSync, sql: string, ...params: SQLInputValue[]): Row | undefined {
  return prepare(db, sql).get(...params) as Row | undefined;
}

/** Returns the column `n` of a query for one number; 0 for NULL or no row. */
export function count(db: DatabaseSync, sql: string, ...params: SQLInputValue[]): number {
  return first<{ n: number }>(db, sql, ...params)?.n ?? 0;
}

/** Whether there is a table: a database of an older version lacks some until the next start migrates it. */
export function hasTable(db: DatabaseSync, name: string): boolean {
  return count(db, "SELECT count(*) AS n FROM sqlite_schema WHERE type = 'table' AND name = ?", name) > 0;
}

/**
 * Returns a number that changes with each commit of another connection (SQLite, "PRAGMA data_version"). The table
 * `pragma_data_version` has the same, but its statement would be prepared again each time.
 */
export function dataVersion(db: DatabaseSync): number {
  return first<{ data_version: number }>(db, "PRAGMA data_version")?.data_version ?? 0;
}

/** Returns the number of rows that this connection has changed, which {@linkcode dataVersion} does not tell. */
export function changedRows(db: DatabaseSync): number {
  return count(db, "SELECT total_changes() AS n");
}

/** Runs a statement. Returns the number of changed rows and the rowid of the last insert. */
export function run(
  db: DatabaseSync,
  sql: string,
  ...params: SQLInputValue[]
): { changes: number; id: number } {
  const { changes, lastInsertRowid } = prepare(db, sql).run(...params);
  return { changes: Number(changes), id: Number(lastInsertRowid) };
}

/**
 * Runs `work` in a savepoint of the current transaction. An error rolls back the savepoint.
 *
 * Not if memory is short: FTS5 can keep totals of its index that it could not read, and a savepoint that is rolled back
 * does not always discard them, so that the transaction would store them.
 *
 * @throws {TransactionLostError} When SQLite has rolled back the whole transaction, as it does when the disk
 * is full or fails, or when the caller has to, since memory is short.
 */
export function savepoint<T>(db: DatabaseSync, work: () => T): T {
  let isOpen = false;
  try {
    // Without a transaction, SAVEPOINT would begin one, and RELEASE commit it.
    if (db.isTransaction) run(db, "SAVEPOINT step");
    isOpen = db.isTransaction;
    if (!isOpen) throw new Error("A savepoint requires a transaction");
    const result = work();
    run(db, "RELEASE step");
    return result;
  } catch (error) {
    if (error instanceof TransactionLostError) throw error;
    const lost = () => new TransactionLostError("The transaction was rolled back", { cause: error });
    if (!db.isTransaction || isOutOfMemory(error)) throw lost();
    try {
      if (isOpen) db.exec("ROLLBACK TO step; RELEASE step");
    } catch {
      throw lost();
    }
    throw error;
  }
}

/** Runs `work` in a write transaction, which an error rolls back. */
export function inTransaction<T>(db: DatabaseSync, work: () => T): T {
  db.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    db.exec("COMMIT");
    return result;
  } catch (error) {
    rollBack(db);
    throw error;
  }
}

/** Rolls back the current transaction, unless SQLite has already. */
export function rollBack(db: DatabaseSync): void {
  for (let tries = 0; db.isTransaction && tries < 3; tries++) {
    try {
      db.exec("ROLLBACK");
    } catch {
      // A failed allocation. The next transaction could not begin.
    }
  }
}

/** Whether SQLite could not allocate memory (SQLITE_NOMEM). */
export function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && /^(?:Error: )?out of memory/.test(error.message);
}

/**
 * Runs `read` on one snapshot of the database. Without it, each statement sees the latest commit, and a document
 * could be returned with the version of one commit and the tags of the next.
 */
export function snapshot<T>(db: DatabaseSync, read: () => T): T {
  if (db.isTransaction) return read();
  run(db, "BEGIN");
  try {
    return read();
  } finally {
    endRead(db);
  }
}

/**
 * Same as {@linkcode snapshot}, but requests that read in the same turn share the snapshot: to begin one takes up to ten
 * times as long as to read a row. A microtask ends it. Code that an acknowledgement wakes is queued behind that
 * microtask, so that each read sees all writes that were acknowledged before it.
 *
 * @param db A connection that does not write.
 */
export function sharedSnapshot<T>(db: DatabaseSync, read: () => T): T {
  if (!db.isTransaction) {
    run(db, "BEGIN");
    queueMicrotask(() => {
      if (db.isOpen) endRead(db);
    });
  }
  return read();
}

/** Ends a read transaction, unless SQLite has ended it after an I/O error or without memory. */
function endRead(db: DatabaseSync): void {
  for (let tries = 0; db.isTransaction && tries < 2; tries++) {
    try {
      run(db, "COMMIT");
    } catch {
      // A failed allocation. Every later read would see this snapshot, so it is tried again.
    }
  }
}

/** SQLITE_FULL and SQLITE_IOERR_WRITE (https://www.sqlite.org/rescode.html). */
const WRITE_FAILURES: readonly unknown[] = [13, 778];

/**
 * Makes sure that a transaction whose COMMIT has failed stays rolled back.
 *
 * If the sync of the write-ahead log fails, the log contains the whole transaction, and SQLite leaves it there
 * until the next transaction overwrites it. A process that ended before would recover it at its next start,
 * though the callers know that nothing was changed. After a write that failed, the log is incomplete, and
 * nothing can be recovered.
 *
 * @param error The error of the COMMIT.
 * @returns Whether the transaction is undone for certain.
 */
export function undoFailedCommit(db: DatabaseSync, error: unknown): boolean {
  try {
    // Writes the first page, with the same content.
    const version = count(db, "SELECT user_version AS n FROM pragma_user_version");
    inTransaction(db, () => db.exec(`PRAGMA user_version = ${version}`));
    return true;
  } catch {
    return WRITE_FAILURES.includes((error as { errcode?: unknown }).errcode);
  }
}

/** The transaction around a savepoint was rolled back because of the cause. */
export class TransactionLostError extends Error {
  override name = "TransactionLostError";
}

/**
 * Replaces characters that SQLite cannot store by U+FFFD: lone surrogates, which UTF-8 cannot encode, and
 * NUL, at which node:sqlite ends text that it reads.
 */
export function storable(text: string): string {
  return (text.includes("\0") ? text.replaceAll("\0", "\ufffd") : text).toWellFormed();
}

/** Returns the current time as it is stored: ISO 8601 in UTC with milliseconds, which sorts as text. */
export function timestamp(): string {
  return new Date().toISOString();
}
