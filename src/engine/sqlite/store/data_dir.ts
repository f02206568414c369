import { DatabaseSync } from "node:sqlite";
import { basename, join } from "node:path";
import { systemReason } from "../../../text/mod.ts";

/** Paths in a data directory. */
export interface DataDir {
  /** The directory itself. */
  readonly path: string;
  /** The SQLite database. */
  readonly database: string;
  /** Number of the last acknowledged commit; see commit_marker.ts. */
  readonly marker: string;
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

/** Stored data is damaged or missing. The program must not continue as if nothing had been stored. */
export class DataDamagedError extends DataDirError {}

/** Another process has locked the data directory. */
export class DataDirInUseError extends DataDirError {}

/** Returns the paths of a data directory, which need not exist. */
export function dataDirAt(path: string): DataDir {
  return {
    path,
    database: join(path, "kb.db"),
    marker: join(path, "kb.commit"),
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
    const reason = error instanceof Deno.errors.AlreadyExists ? "Not a directory" : systemReason(error);
    throw new DataDirError(
      `KB_DATA_DIR must be a writable directory, got ${JSON.stringify(path)}: ${reason}`,
      { cause: error },
    );
  }
  return dir;
}

/** Whether the database has a write-ahead log with content, as after a crash or while it is open. */
export function hasWriteAheadLog(dir: DataDir): boolean {
  return fileSize(`${dir.database}-wal`) > 0;
}

/** Whether the process ended while it created the database: only then is there a rollback journal. */
export function hasRollbackJournal(dir: DataDir): boolean {
  return fileSize(`${dir.database}-journal`) > 0;
}

/** Returns the size of a file in bytes; -1 if it does not exist. */
export function fileSize(path: string): number {
  try {
    return Deno.statSync(path).size;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return -1;
    throw new DataDirError(
      `Cannot read ${JSON.stringify(path)}: check that this user may read it (${systemReason(error)})`,
      { cause: error },
    );
  }
}

/** Creates a file that only its owner may access, unless it exists. */
export function createPrivateFile(path: string): void {
  try {
    Deno.openSync(path, { write: true, createNew: true, mode: 0o600 }).close();
  } catch {
    // It exists, or cannot be created, which the next step reports with its reason.
  }
}

/** Result of {@linkcode restrictAccess}. */
export interface RestrictedAccess {
  /** Names of the files and directories whose permissions were reduced. */
  readonly tightened: readonly string[];
  /** Whether other users may add and remove files in the data directory. */
  readonly isWritableByOthers: boolean;
}

/**
 * Makes the files of the data directory accessible only to their owner. The directory itself may have been
 * made by the user, for several purposes, so its permissions are only reported. Does nothing on Windows.
 */
export function restrictAccess(dir: DataDir): RestrictedAccess {
  if (Deno.build.os === "windows") return { tightened: [], isWritableByOthers: false };
  const { database, marker, lock, reindexLock, spool } = dir;
  const files = [database, `${database}-wal`, `${database}-shm`, marker, lock, reindexLock, spool];
  const tightened = files.filter((path) => modeOf(path) & 0o077).filter((path) => {
    try {
      Deno.chmodSync(path, path === spool ? 0o700 : 0o600);
      return true;
    } catch {
      return false; // another owner's file, or a read-only disk
    }
  });
  const folder = infoOf(dir.path);
  return {
    tightened: tightened.map((path) => basename(path)),
    // Anything but a directory is refused soon: advice about its permissions would mislead.
    isWritableByOthers: folder?.isDirectory === true && ((folder.mode ?? 0) & 0o022) !== 0,
  };
}

/** Returns the type and permissions of a file; 0 if it does not exist. */
function modeOf(path: string): number {
  return infoOf(path)?.mode ?? 0;
}

function infoOf(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.statSync(path);
  } catch {
    return undefined;
  }
}

/**
 * Whether the file system of an existing data directory is mounted read-only. Sets the permissions that the
 * directory has: closing a database file instead would release the locks of this process on it (POSIX).
 */
export function isReadOnlyDisk(dir: DataDir): boolean {
  try {
    Deno.chmodSync(dir.path, modeOf(dir.path) & 0o7777);
    return false;
  } catch (error) {
    return (error as { code?: string }).code === "EROFS";
  }
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
    createPrivateFile(dir.lock);
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
      `KB_DATA_DIR must be a writable directory, got ${path}: cannot lock lock.db (${
        lockFailure(dir, error)
      })`,
      { cause: error },
    );
  }
  const held = db;
  return { [Symbol.dispose]: () => held.close() };
}

/** Returns why the lock file cannot be locked. SQLite reports every error of opening a file as one. */
function lockFailure({ lock }: DataDir, error: unknown): string {
  try {
    Deno.openSync(lock, { write: true, create: true, mode: 0o600 }).close();
    return systemReason(error);
  } catch (cause) {
    return systemReason(cause);
  }
}
