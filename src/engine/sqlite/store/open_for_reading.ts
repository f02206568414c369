import { DatabaseSync } from "node:sqlite";
import { DataDamagedError, type DataDir, DataDirError } from "./data_dir.ts";
import { registerFunctions } from "./search_text.ts";
import { count, isOutOfMemory } from "./sql.ts";
import { storageFault } from "./storage_errors.ts";

/**
 * Opens a read-only connection. The database must exist and be migrated.
 *
 * @throws {DataDirError} When the file cannot be opened or is not a database.
 */
export function openForReading(dir: DataDir): DatabaseSync {
  return openDatabase(dir, { readOnly: true, prepare });

  function prepare(db: DatabaseSync): void {
    // Not memory-mapped: a file that is shortened, or a page that the disk cannot read, would end the process with
    // SIGBUS in place of an error.
    db.exec(`
      PRAGMA busy_timeout = 5000;
      PRAGMA query_only = ON;
      PRAGMA temp_store = MEMORY;
      PRAGMA cache_size = -16384;
      PRAGMA mmap_size = 0;
    `);
    count(db, "SELECT count(*) AS n FROM sqlite_schema");
  }
}

/**
 * Opens a connection.
 *
 * @param options.prepare Sets up the connection, and may find that the file cannot be used.
 * @throws {DataDirError} As of {@linkcode openForReading}, and what `prepare` throws.
 */
export function openDatabase(
  dir: DataDir,
  { readOnly = false, prepare }: {
    readOnly?: boolean;
    prepare: (db: DatabaseSync) => void;
  },
): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(dir.database, { readOnly });
    registerFunctions(db);
    prepare(db);
    return db;
  } catch (error) {
    db?.close();
    throw toDataDirError(error, dir);
  }
}

/** Returns the error for data that must be restored or repaired. `what` completes "kb.db in KB_DATA_DIR …: ". */
export function damaged(dir: DataDir, what: string, options?: ErrorOptions): DataDamagedError {
  return new DataDamagedError(
    `Cannot open kb.db in KB_DATA_DIR ${
      JSON.stringify(dir.path)
    }: ${what}. Restore a backup into an empty directory, ` +
      'or run "kb-mcp repair", which keeps the damaged files and recovers what can be read',
    options,
  );
}

/** Describes an error for the operator. */
export function toDataDirError(error: unknown, dir: DataDir): DataDirError {
  if (error instanceof DataDirError) return error;
  const message = error instanceof Error ? error.message : "";
  const location = `in KB_DATA_DIR ${JSON.stringify(dir.path)}`;
  const options = { cause: error };
  if (/not a database/i.test(message)) {
    return damaged(dir, "it is not a database, or its header is damaged", options);
  }
  switch (storageFault(error)) {
    case "storage_damaged":
      return damaged(dir, "it is damaged", options);
    case "storage_full":
      return new DataDirError(
        `Cannot open kb.db ${location}, because the disk is full or failing: free some space (a migration temporarily ` +
          "needs as much as the database)",
        options,
      );
    case "read_only":
      return new DataDirError(
        `Cannot open kb.db ${location}, because it is read-only: make it writable`,
        options,
      );
  }
  if (isOutOfMemory(error)) {
    return new DataDirError(
      `Cannot open kb.db ${location}, because memory is short: free memory, or raise the limit of this process`,
      options,
    );
  }
  const what = /locked|busy/i.test(message)
    ? `kb.db ${location} is locked by another program: close that program`
    // Such as a disk without inodes, for which SQLite gives no reason.
    : `Cannot open kb.db ${location}: check that this user may read and write it, and that the disk takes new files`;
  return new DataDirError(what, options);
}
