import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";

/** Where everything of one engine is on disk. */
export interface DataDir {
  /** The directory itself. */
  readonly path: string;
  /** The SQLite database. */
  readonly database: string;
  /** Held locked for as long as a process uses the directory. */
  readonly lock: string;
  /** Held locked by the process that makes all vectors anew, beside the one that uses the directory. */
  readonly reindexLock: string;
  /** Bytes of files that wait for ingestion. */
  readonly spool: string;
}

/** A data directory that cannot be used. The message is for the person who runs the engine: what is wrong, what to do. */
export class DataDirError extends Error {
  /** Always `DataDirError`. */
  override name = "DataDirError";
}

/** The directory is locked by another process. */
export class DataDirInUseError extends DataDirError {}

/** Names the files of a data directory; touches nothing. */
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
 * Creates the data directory and its spool where they are missing. New ones can be entered by their owner only,
 * since they hold a person's documents.
 *
 * @throws {DataDirError} When the directory cannot be made or written.
 */
export async function createDataDir(path: string): Promise<DataDir> {
  const dir = dataDirAt(path);
  try {
    await Deno.mkdir(dir.path, { recursive: true, mode: 0o700 });
    await Deno.mkdir(dir.spool, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new DataDirError(
      `KB_DATA_DIR must be a directory that can be written, got ${JSON.stringify(path)}`,
      {
        cause: error,
      },
    );
  }
  return dir;
}

/**
 * Takes the directory for this process, until the lock is disposed of or the process ends, however it ends.
 *
 * The lock is an exclusive transaction on a database of its own: SQLite has a working file lock on every system, the
 * operating system lets go of it when a process is killed, and it survives nothing, so there is no stale lock to clear up.
 *
 * @throws {DataDirError} When another process (or another engine in this one) has the directory.
 */
export function lockDataDir(dir: DataDir): Disposable {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(dir.lock);
    // A journal in memory: nothing is ever written here, and a file of it would be left behind by a kill.
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
      `KB_DATA_DIR must be a directory that can be written, got ${path}: its lock.db cannot be locked`,
      { cause: error },
    );
  }
  const held = db;
  return { [Symbol.dispose]: () => held.close() };
}
