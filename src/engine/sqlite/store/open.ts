import { DatabaseSync } from "node:sqlite";
import { type DataDir, DataDirError } from "./data_dir.ts";
import { isStorageFailure } from "./failures.ts";
import { migrate, pendingMigrations } from "./migrate.ts";
import { MIGRATIONS } from "./migrations.ts";
import { count } from "./sql.ts";

/** "KBMC", so that file(1) and this program tell the database from any other. */
const APPLICATION_ID = 0x4b424d43;

/** How the bringing up to date of a database that an older version wrote goes; where there is much data it takes minutes. */
export interface Upgrade {
  /** Names of the steps that it had not had. */
  readonly steps: readonly string[];
  /** Time that they took, in milliseconds; null: they begin now. */
  readonly ms: number | null;
}

/**
 * Opens the database for the one connection that writes, creating it or bringing it up to date first.
 *
 * @param now The time, as ISO 8601 in UTC with milliseconds.
 * @param onUpgrade Told before and after an older database is brought up to date; not of one that is created.
 * @throws {DataDirError} When the file is no database of ours, is damaged, or was written by a newer version.
 */
export function openForWriting(
  dir: DataDir,
  now: () => string,
  onUpgrade: (upgrade: Upgrade) => void = () => {},
): DatabaseSync {
  return open(dir, {}, (db) => {
    // Deleted text is overwritten in the file. FULL: the log is synced at every commit, so what has been
    // acknowledged survives a power cut. None of these changes a file that turns out not to be ours.
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
    // The log is folded into the database every 16 MiB, and one that a burst made larger than 64 is cut back.
    db.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA wal_autocheckpoint = 4096;
      PRAGMA journal_size_limit = 67108864;
    `);
    if (id === 0) db.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    const isUpgrade = pending.length > 0 && pending.length < MIGRATIONS.length;
    const steps = pending.map(({ name }) => name);
    const started = performance.now();
    if (isUpgrade) onUpgrade({ steps, ms: null });
    migrate(db, pending, now);
    if (isUpgrade) onUpgrade({ steps, ms: Math.round(performance.now() - started) });
  });
}

/**
 * Opens the database for reading only. The writer's connection has to be open already: it creates and migrates.
 *
 * @throws {DataDirError} When the file cannot be opened or is no database.
 */
export function openForReading(dir: DataDir): DatabaseSync {
  return open(dir, { readOnly: true }, (db) => {
    // Mapped pages spare a copy each; what stays resident is up to the operating system.
    db.exec(`
      PRAGMA busy_timeout = 5000;
      PRAGMA query_only = ON;
      PRAGMA temp_store = MEMORY;
      PRAGMA cache_size = -16384;
      PRAGMA mmap_size = 1073741824;
    `);
    count(db, "SELECT count(*) AS n FROM sqlite_schema");
  });
}

/**
 * Whether a database has every step of the schema. Changes nothing.
 *
 * @throws {DataDirError} When the file is no database of ours, or was written by a newer version.
 */
export function isUpToDate(dir: DataDir): boolean {
  const db = openForReading(dir);
  try {
    return pendingMigrations(db, MIGRATIONS).length === 0;
  } finally {
    db.close();
  }
}

function open(
  dir: DataDir,
  options: { readOnly?: boolean },
  prepare: (db: DatabaseSync) => void,
): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(dir.database, options);
    prepare(db);
    return db;
  } catch (error) {
    db?.close();
    if (error instanceof DataDirError) throw error;
    throw new DataDirError(explain(error, dir), { cause: error });
  }
}

/** node:sqlite tells errors apart by SQLite's own words only. */
function explain(error: unknown, dir: DataDir): string {
  const message = error instanceof Error ? error.message : "";
  const where = `in KB_DATA_DIR ${JSON.stringify(dir.path)}`;
  if (/not a database/i.test(message)) {
    return `kb.db ${where} is not a database: move it away, or set KB_DATA_DIR to another directory`;
  }
  if (/malformed|corrupt/i.test(message)) return `kb.db ${where} is damaged: restore it from a backup`;
  if (isStorageFailure(error)) {
    return `kb.db ${where} cannot be opened, because the disk is full or failing: make room (an upgrade takes as much as the ` +
      "database has, and gives it back)";
  }
  if (/locked|busy/i.test(message)) {
    return `kb.db ${where} is locked by another program: close whatever else has it open`;
  }
  return `kb.db ${where} cannot be opened: check that this user may read and write it`;
}
