import { DatabaseSync } from "node:sqlite";
import { basename, join } from "node:path";
import {
  all,
  CommitMarker,
  count,
  createDatabase,
  createDataDir,
  DataDamagedError,
  type DataDir,
  dataDirAt,
  DataDirError,
  fileSize,
  first,
  isOutOfMemory,
  isStorageFailure,
  lockDataDir,
  newDatabase,
  openForWriting,
  rebuildIndex,
  removeDatabase,
  removeFile,
  run,
  spooledFiles,
  timestamp,
} from "../store/mod.ts";
import { PageFile } from "./page_file.ts";
import { salvage, type Salvaged } from "./salvage.ts";

/** Result of {@linkcode repair}. */
export interface RepairReport extends Salvaged {
  /** Number of acknowledged commits that the database does not have; undefined if its own number is unreadable. */
  readonly missingCommits: number | undefined;
  /** Number of queued files without a job. */
  readonly unclaimedFiles: number;
  /** New names of the previous database files in the data directory. */
  readonly kept: readonly string[];
}

/**
 * Copies everything that can be read from a damaged database into a new one, which replaces it. Rebuilds the
 * full-text index. The damaged files are kept under other names and not changed.
 *
 * @param options.into New data directory for the result; the damaged one is not changed. Default: the same.
 * @throws {DataDamagedError} When nothing can be read. Then nothing has changed.
 * @throws {DataDirError} When the directory is in use or cannot be written, or its disk is full. Then nothing has
 * changed.
 */
export async function repair(dataDir: string, { into }: { into?: string } = {}): Promise<RepairReport> {
  if (fileSize(dataDirAt(dataDir).database) < 0) {
    throw new DataDirError(
      `Cannot repair KB_DATA_DIR ${
        JSON.stringify(dataDir)
      }: it has no kb.db. Check that KB_DATA_DIR is set as for the server`,
    );
  }
  const dir = await createDataDir(dataDir);
  using _lock = lockDataDir(dir);
  if (into !== undefined) {
    await copyData(dir, into);
    return await repair(into);
  }
  // kb-mcp reindex writes next to a running engine.
  using _reindexLock = lockDataDir({ ...dir, lock: dir.reindexLock });
  const now = timestamp();
  const suffix = `damaged-${now.replace(/[-:]/g, "").replace(/\.\d+Z/, "Z")}`;
  const target: DataDir = { ...dir, database: newDatabase(dir, "repaired") };
  using cleanup = new DisposableStack();
  // Also after success: reading the new database has left a log under its first name.
  cleanup.defer(() => removeDatabase(target.database));
  removeDatabase(target.database); // of a repair that was interrupted
  const marked = CommitMarker.read(dir.marker)?.commit ?? 0;
  const { salvaged, found, commit } = onDisk(dir, () => rebuild(dir, target, marked));
  const unclaimedFiles = keepUnclaimedFiles(dir, target, suffix);

  const kept = replaceDatabase(dir, target, suffix);
  using marker = CommitMarker.open(dir.marker);
  marker.write({ commit, closed: undefined });
  return { ...salvaged, missingCommits: missingCommits(marked, found), unclaimedFiles, kept };
}

/** Runs a function that writes to the disk of a data directory, and names the disk if it is full. */
function onDisk<T>(dir: DataDir, write: () => T): T {
  try {
    return write();
  } catch (cause) {
    if (isOutOfMemory(cause)) {
      throw new DataDirError(
        `Cannot repair KB_DATA_DIR ${
          JSON.stringify(dir.path)
        }: memory is short. Nothing was changed: free memory`,
        { cause },
      );
    }
    throw isStorageFailure(cause) ? diskFull(dir, cause) : cause;
  }
}

function diskFull({ path }: DataDir, cause: unknown): DataDirError {
  return new DataDirError(
    `Cannot repair KB_DATA_DIR ${
      JSON.stringify(path)
    }: its disk is full or failing. Nothing was changed: free as ` +
      "much space as kb.db takes, or write the result to another disk with --into DIR",
    { cause },
  );
}

/** Copies the database, its log and the queued files to a data directory without data. */
async function copyData(from: DataDir, path: string): Promise<void> {
  const to = await createDataDir(path);
  if (fileSize(to.database) >= 0) {
    throw new DataDirError(
      `Cannot repair into ${JSON.stringify(path)}: it has a kb.db. Choose a new directory`,
    );
  }
  using undo = new DisposableStack();
  const copy = async (file: string, target: string) => {
    undo.defer(() => removeFile(target));
    await Deno.copyFile(file, target);
  };
  try {
    for (const file of [from.database, `${from.database}-wal`, from.marker]) {
      if (fileSize(file) >= 0) await copy(file, join(to.path, basename(file)));
    }
    for await (const { name, isFile } of Deno.readDir(from.spool)) {
      if (isFile) await copy(join(from.spool, name), join(to.spool, name));
    }
  } catch (cause) {
    throw isStorageFailure(cause) ? diskFull(to, cause) : cause;
  }
  undo.move();
}

/**
 * Puts the new database in the place of the damaged one. Returns the new names of the damaged files.
 *
 * A new database must never meet the old log, so the log goes first. If the process ends in between, the next
 * start refuses the directory.
 */
function replaceDatabase(dir: DataDir, target: DataDir, suffix: string): string[] {
  const files = [`${dir.database}-wal`, `${dir.database}-shm`, dir.database].filter((path) =>
    fileSize(path) >= 0
  );
  const kept = files.map((path) => {
    // SQLite finds the log of a database by its name.
    const name = path.replace(dir.database, `${dir.database}.${suffix}`);
    Deno.renameSync(path, name);
    return basename(name);
  });
  Deno.renameSync(target.database, dir.database);
  return kept;
}

function rebuild(dir: DataDir, target: DataDir, marked: number) {
  using from = openDamaged(dir);
  // A database of an older version gets its own schema first, and is migrated with its data.
  createDatabase(target, appliedMigrations(from), timestamp);
  let salvaged: Salvaged;
  {
    // Chunks whose document is unreadable are copied, too.
    using to = new DatabaseSync(target.database, { enableForeignKeyConstraints: false });
    using pages = new PageFile(dir.database);
    salvaged = salvage({ from, pages, to, now: timestamp });
  }
  if (Object.values(salvaged.rows).every((n) => n === 0)) throw unreadable(dir);
  using to = openForWriting(target, timestamp);
  rebuildIndex(to);
  const found = readLastCommit(from);
  // Larger than any number that was acknowledged before.
  const commit = Math.max(found ?? 0, marked) + 1;
  run(to, "UPDATE last_commit SET number = ?", commit);
  const problem = first<{ quick_check: string }>(to, "PRAGMA quick_check(1)")?.quick_check;
  if (problem !== "ok") throw new Error(`The repaired database failed its check: ${problem}`);
  to.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  return { salvaged, found, commit };
}

/**
 * Opens the database so that as much as possible can be read. Changes neither the database nor its log. Returns
 * an empty database if the schema cannot be read: then rows are found by their pages only.
 */
function openDamaged(dir: DataDir): DatabaseSync {
  if (fileSize(dir.database) <= 0) throw unreadable(dir);
  const db = new DatabaseSync(dir.database, { readOnly: true });
  try {
    // Ignores unreadable parts of the schema.
    db.exec("PRAGMA writable_schema = ON");
    count(db, "SELECT count(*) AS n FROM sqlite_schema");
    return db;
  } catch {
    db.close();
    return new DatabaseSync(":memory:");
  }
}

function unreadable(dir: DataDir): DataDamagedError {
  return new DataDamagedError(
    `Cannot repair kb.db in KB_DATA_DIR ${
      JSON.stringify(dir.path)
    }: nothing in it can be read. Nothing was changed: restore a ` +
      "backup into an empty directory; to start with an empty knowledge base, move kb.db, kb.db-wal and kb.commit away",
  );
}

/** Returns the names of the migrations that a database has; undefined if they cannot be read. */
function appliedMigrations(db: DatabaseSync): string[] | undefined {
  try {
    const names = all<{ name: string }>(db, "SELECT name FROM schema_migrations").map(({ name }) => name);
    return names.length > 0 ? names : undefined;
  } catch {
    return undefined;
  }
}

/** Returns undefined for a number that cannot be read. */
function readLastCommit(db: DatabaseSync): number | undefined {
  try {
    const number = first<{ n: number }>(db, "SELECT number AS n FROM last_commit")?.n;
    return Number.isSafeInteger(number) ? number : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the number of acknowledged commits that were not found; undefined if that cannot be determined.
 *
 * @param marked Number of the last acknowledged commit; 0 if none was recorded.
 */
function missingCommits(marked: number, found: number | undefined): number | undefined {
  if (marked === 0) return 0;
  return found === undefined ? undefined : Math.max(0, marked - found);
}

/**
 * Moves files out of the spool that no recovered job refers to, because the next start would remove them.
 *
 * @returns Number of files.
 */
function keepUnclaimedFiles(dir: DataDir, target: DataDir, suffix: string): number {
  using db = new DatabaseSync(target.database, { readOnly: true });
  const claimed = spooledFiles(db);
  const unclaimed = [...Deno.readDirSync(dir.spool)].filter(({ isFile, name }) =>
    isFile && !claimed.has(name)
  );
  if (unclaimed.length === 0) return 0;
  const kept = `${dir.spool}.${suffix}`;
  Deno.mkdirSync(kept, { mode: 0o700 });
  for (const { name } of unclaimed) Deno.renameSync(join(dir.spool, name), join(kept, name));
  return unclaimed.length;
}
