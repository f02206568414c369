import { DatabaseSync } from "node:sqlite";
import { adaptCheckpoints } from "./checkpoints.ts";
import { createPrivateFile, type DataDir, DataDirError } from "./data_dir.ts";
import { enableFreePages } from "./free_pages.ts";
import { migrate, pendingMigrations } from "./migrate.ts";
import { MIGRATIONS } from "./migrations.ts";
import { count } from "./sql.ts";
import { openDatabase, openForReading } from "./open_for_reading.ts";

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
  return openDatabase(dir, { prepare });

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
 * Closes the writing connection, and writes its log to the database.
 *
 * Leaves the log, empty, and its shared memory, which SQLite would remove: a disk that is mounted read-only has to
 * have both before SQLite reads a database in WAL mode. SQLite keeps them if a read-only connection is closed last.
 * (On Windows it removes them nevertheless.)
 */
export function closeForWriting(db: DatabaseSync, dir: DataDir): void {
  let last: DatabaseSync | undefined;
  try {
    last = openForReading(dir);
    db.exec("PRAGMA busy_timeout = 1000; PRAGMA wal_checkpoint(TRUNCATE)");
  } catch {
    // The disk fails, or another connection reads the log: it is written by the last one, or at the next start.
  }
  db.close();
  last?.close();
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
 * Whether a database has every migration. Changes nothing.
 *
 * @throws {DataDirError} When the file belongs to another program, or was written by a newer version.
 */
export function isMigrated(dir: DataDir): boolean {
  const db = openForReading(dir);
  try {
    return pendingMigrations(db, MIGRATIONS).length === 0;
  } finally {
    db.close();
  }
}
