import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import {
  CommitMarker,
  count,
  createDataDir,
  DataDamagedError,
  type DataDir,
  DataDirError,
  fileSize,
  hasTable,
  isMigrated,
  lastCommit,
  lockDataDir,
  newDatabase,
  removeDatabase,
  timestamp,
} from "../store/mod.ts";
import { decompressFile, detectCompression } from "./compression.ts";
import { replaceDatabase } from "./replace_database.ts";

/** Names of files in the spool directory. */
const SPOOL_NAME = /^[\w-]+$/;

/** Result of {@linkcode restoreBackup}. */
export interface RestoredBackup {
  /** Number of documents. */
  readonly documents: number;
  /** Number of queued jobs whose files are not in the data directory: they fail. */
  readonly jobsWithoutFiles: number;
  /** Folders that the next start of the server reads into documents. */
  readonly folders: readonly string[];
  /** Names of the former files in the data directory. */
  readonly kept: readonly string[];
}

/**
 * Replaces the data of a data directory by that of a backup, which is checked before. The former files are kept under
 * other names. A process that ends at any moment leaves the old or the new data. The next start migrates a backup of an
 * older version.
 *
 * @param file Backup, as {@linkcode backup} writes it.
 * @param options.replace Whether the directory may have data.
 * @throws {DataDamagedError} When the backup is damaged.
 * @throws {DataDirError} When the directory is in use, has data or cannot be written, or the file is no backup of this
 * program or of a newer version.
 */
export async function restoreBackup(
  dataDir: string,
  file: string,
  { replace = false }: { replace?: boolean } = {},
): Promise<RestoredBackup> {
  const compression = compressionFrom(file);
  const dir = await createDataDir(dataDir);
  using _lock = lockDataDir(dir);
  using _reindexLock = lockDataDir({ ...dir, lock: dir.reindexLock });
  if (!replace && hasData(dir)) {
    throw new DataDirError(
      `Cannot restore into KB_DATA_DIR ${JSON.stringify(dataDir)}: it has data. With --replace, ` +
        "the former files are kept under other names",
    );
  }
  const copy = newDatabase(dir, "restored");
  removeDatabase(copy); // of a run that was interrupted
  using cleanup = new DisposableStack();
  cleanup.defer(() => removeDatabase(copy));
  try {
    await decompressFile(file, copy, compression);
  } catch (cause) {
    if ((cause as { code?: string }).code === "ENOSPC") {
      throw new DataDirError(`Cannot restore into KB_DATA_DIR ${JSON.stringify(dataDir)}: its disk is full`, {
        cause,
      });
    }
    throw damagedBackup(file, cause);
  }
  const { documents, commit, queued, folders } = check(copy, dir, file);
  const keepAs = `replaced-${timestamp().replace(/[-:]/g, "").replace(/\.\d+Z/, "Z")}`;
  const kept = replaceDatabase(dir, copy, { commit, keepAs });
  const jobsWithoutFiles = queued.filter((name) => fileSize(join(dir.spool, name)) < 0).length;
  return { documents, jobsWithoutFiles, folders, kept };
}

function compressionFrom(file: string) {
  const name = JSON.stringify(file);
  try {
    // To open a named pipe would wait for its writer, and the file is read twice.
    const compression = Deno.statSync(file).isFile ? detectCompression(file) : undefined;
    if (compression !== undefined) return compression;
  } catch (cause) {
    throw new DataDirError(`Cannot read the backup ${name}: check that it exists and this user may read it`, {
      cause,
    });
  }
  throw new DataDirError(`${name} is not a backup: it must be a file that kb-mcp backup has written`);
}

/** Whether the directory has something to lose: a database, the trace of one, or queued files. */
function hasData(dir: DataDir): boolean {
  const hasDatabase = fileSize(dir.database) > 0 || (CommitMarker.read(dir.marker)?.commit ?? 0) > 0;
  return hasDatabase || [...Deno.readDirSync(dir.spool)].length > 0;
}

/** Checks a decompressed backup completely. */
function check(path: string, dir: DataDir, file: string) {
  // Refuses other programs and newer versions. An older one is migrated at the start.
  try {
    isMigrated({ ...dir, database: path });
  } catch (cause) {
    if (cause instanceof DataDamagedError) throw damagedBackup(file, cause);
    throw new DataDirError(
      `Cannot restore ${JSON.stringify(file)}: ${(cause as Error).message.replace(/^kb\.db /, "it ")}`,
      { cause },
    );
  }
  using db = new DatabaseSync(path, { readOnly: true });
  let problem: unknown;
  try {
    problem = db.prepare("PRAGMA integrity_check(1)").get()?.["integrity_check"] ?? "empty";
    if (problem === "ok") problem = findForeign(db);
    if (problem === undefined) {
      return {
        documents: count(db, "SELECT count(*) AS n FROM documents"),
        commit: hasTable(db, "last_commit") ? lastCommit(db) : 0,
        // Of ended jobs, files are only kept for a retry.
        queued: texts(
          db,
          "SELECT spool_file FROM jobs WHERE status IN ('queued', 'processing') AND spool_file IS NOT NULL",
        ),
        folders: hasTable(db, "sources")
          ? texts(db, "SELECT location FROM sources WHERE type = 'folder' ORDER BY location")
          : [],
      };
    }
  } catch (error) {
    problem = error;
  }
  throw damagedBackup(file, problem);
}

/**
 * Returns what this program does not write into a database.
 *
 * Threat: a backup that somebody else has made. Triggers would run with later writes; the file of a queued job is read
 * and then removed, which must not happen to one outside of the spool directory.
 */
function findForeign(db: DatabaseSync): string | undefined {
  if (count(db, "SELECT count(*) AS n FROM sqlite_schema WHERE type = 'trigger'") > 0) {
    return "it has triggers";
  }
  const names = texts(db, "SELECT spool_file FROM jobs WHERE spool_file IS NOT NULL");
  return names.every((name) => SPOOL_NAME.test(name))
    ? undefined
    : "a queued job names a file outside of the spool directory";
}

/** Returns the only column of a query as text. */
function texts(db: DatabaseSync, sql: string): string[] {
  return db.prepare(sql).all().map((row) => String(Object.values(row)[0]));
}

function damagedBackup(file: string, cause: unknown): DataDamagedError {
  return new DataDamagedError(
    `Cannot restore ${JSON.stringify(file)}: the backup is damaged. Nothing was changed: restore another one`,
    { cause },
  );
}
