import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";

/** Paths in a data directory. */
export interface DataDir {
  /** The directory itself. */
  readonly path: string;
  /** The SQLite database. */
  readonly database: string;
  /** Locked while a process uses the directory. */
  readonly lock: string;
  /** Locked by `kb-mcp reindex`, which may run next to an engine. */
  readonly reindexLock: string;
  /** Directory of files queued for ingestion. */
  readonly spool: string;
}

/** The data directory cannot be used. The message is for the operator. */
export class DataDirError extends Error {
  /** Always `DataDirError`. */
  override name = "DataDirError";
}

/** Another process has locked the data directory. */
export class DataDirInUseError extends DataDirError {}

/** Returns the paths of a data directory, which need not exist. */
export function dataDirAt(path: string): DataDir {
  return {
    path,
    database: join(path, "kb.db"),
    lock: join(path, "lock.db"),
    reindexLock: join(path, "reindex.db"),
    spool: join(path, "spool"),
  };
}

/**
 * Creates the data directory and its spool if missing, accessible only to their owner, since they hold
 * personal documents.
 *
 * @throws {DataDirError} When the directory cannot be created.
 */
export async function createDataDir(path: string): Promise<DataDir> {
  const dir = dataDirAt(path);
  try {
    await Deno.mkdir(dir.path, { recursive: true, mode: 0o700 });
    await Deno.mkdir(dir.spool, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new DataDirError(`KB_DATA_DIR must be a writable directory, got ${JSON.stringify(path)}`, {
      cause: error,
    });
  }
  return dir;
}

/**
 * Locks the directory until the lock is disposed or the process ends in any way.
 *
 * The lock is an exclusive transaction on a separate database: SQLite's file locks work on every system, and
 * the operating system releases them with the process, so no lock can be stale.
 *
 * @throws {DataDirInUseError} When another engine, in this process or another one, has locked the directory.
 * @throws {DataDirError} When the lock file cannot be written.
 */
export function lockDataDir(dir: DataDir): Disposable {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(dir.lock);
    // A journal file would remain after a kill.
    db.exec("PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (error) {
    db?.close();
    const busy = error instanceof Error && /locked|busy/i.test(error.message);
    const path = JSON.stringify(dir.path);
    if (busy) {
      throw new DataDirInUseError(
        `KB_DATA_DIR ${path} is in use by another kb-mcp process: stop it, or set KB_DATA_DIR to another directory`,
        { cause: error },
      );
    }
    throw new DataDirError(
      `KB_DATA_DIR must be a writable directory, got ${path}: its lock.db cannot be locked`,
      { cause: error },
    );
  }
  const held = db;
  return { [Symbol.dispose]: () => held.close() };
}
