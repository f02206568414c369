import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { adaptCheckpoints } from "./checkpoints.ts";
import { createPrivateFile, DataDamagedError, type DataDir, DataDirError } from "./data_dir.ts";
import { enableFreePages } from "./free_pages.ts";
import { migrate, pendingMigrations } from "./migrate.ts";
import { MIGRATIONS } from "./migrations.ts";
import { registerFunctions } from "./search_text.ts";
import { count } from "./sql.ts";
import { isOutOfMemory, storageFault } from "./storage_errors.ts";

/** Returns the current time as it is stored: ISO 8601 in UTC with milliseconds, which sorts as text. */
export function timestamp(): string {
  return new Date().toISOString();
}

/** "KBMC": identifies the database to file(1) and to this program. */
const APPLICATION_ID = 0x4b424d43;

/** Progress of a migration from an older version, which takes minutes for a large database. */
export interface Upgrade {
  /** Names of the migrations. */
  readonly steps: readonly string[];
  /** Duration in milliseconds; null before the migrations start. */
  readonly ms: number | null;
}

/**
 * Opens the writing connection. Creates or migrates the database if necessary.
 *
 * @param now Clock, in the format of {@linkcode timestamp}.
 * @param onUpgrade Called before and after an older database is migrated, and not for a new one.
 * @throws {DataDirError} When the file belongs to another program, is damaged, or was written by a newer
 * version.
 */
export function openForWriting(
  dir: DataDir,
  now: () => string,
  onUpgrade: (upgrade: Upgrade) => void = () => {},
): DatabaseSync {
  // SQLite gives its log and shared memory the same permissions.
  createPrivateFile(dir.database);
  return open(dir, { prepare });

  function prepare(db: DatabaseSync): void {
    // secure_delete overwrites deleted text in the file. FULL syncs the log at each commit, so that
    // acknowledged writes survive a power failure. None of these changes the file, which may belong to
    // another program.
    db.exec(`
      PRAGMA busy_timeout = 5000;
      PRAGMA secure_delete = ON;
      PRAGMA synchronous = FULL;
      PRAGMA foreign_keys = ON;
      PRAGMA temp_store = MEMORY;
      PRAGMA cache_size = -32768;
    `);
    const id = count(db, "SELECT application_id AS n FROM pragma_application_id");
    if (id !== 0 && id !== APPLICATION_ID) {
      throw new DataDirError("kb.db was made by another program: set KB_DATA_DIR to an empty directory");
    }
    const pending = pendingMigrations(db, MIGRATIONS);
    if (pending.length === MIGRATIONS.length) enableFreePages(db);
    // Truncates a log that has grown beyond 64 MiB.
    db.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA journal_size_limit = 67108864;
    `);
    adaptCheckpoints(db);
    if (id === 0) db.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    const isUpgrade = pending.length > 0 && pending.length < MIGRATIONS.length;
    const steps = pending.map(({ name }) => name);
    const started = performance.now();
    if (isUpgrade) onUpgrade({ steps, ms: null });
    migrate(db, pending, now);
    if (isUpgrade) onUpgrade({ steps, ms: Math.round(performance.now() - started) });
  }
}

/**
 * Creates an empty database with the schema of an older version.
 *
 * @param applied Names of its migrations; undefined for all.
 */
export function createDatabase(
  dir: DataDir,
  applied: readonly string[] | undefined,
  now: () => string,
): void {
  createPrivateFile(dir.database);
  using db = new DatabaseSync(dir.database);
  enableFreePages(db);
  db.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
  migrate(db, MIGRATIONS.filter(({ name }) => applied?.includes(name) ?? true), now);
}

/**
 * Opens a read-only connection. The database must exist and be migrated.
 *
 * @param options.isImmutable Whether nothing can change the file, because its disk is read-only. SQLite then
 * needs no shared memory, which it could not create, and ignores the write-ahead log.
 * @throws {DataDirError} When the file cannot be opened or is not a database.
 */
export function openForReading(dir: DataDir, { isImmutable = false } = {}): DatabaseSync {
  return open(dir, { readOnly: true, isImmutable, prepare });

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
 * Whether a database has every migration. Changes nothing.
 *
 * @throws {DataDirError} When the file belongs to another program, or was written by a newer version.
 */
export function isMigrated(dir: DataDir, options: { readonly isImmutable?: boolean } = {}): boolean {
  const db = openForReading(dir, options);
  try {
    return pendingMigrations(db, MIGRATIONS).length === 0;
  } finally {
    db.close();
  }
}

function open(
  dir: DataDir,
  { readOnly = false, isImmutable = false, prepare }: {
    readOnly?: boolean;
    isImmutable?: boolean;
    prepare: (db: DatabaseSync) => void;
  },
): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    const location = isImmutable ? new URL("?immutable=1", pathToFileURL(dir.database)) : dir.database;
    db = new DatabaseSync(location, { readOnly });
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
    : `Cannot open kb.db ${location}: check that this user may read and write it`;
  return new DataDirError(what, options);
}
