import { backup as copyPages, DatabaseSync } from "node:sqlite";
import { basename, dirname, join, resolve } from "node:path";
import {
  assertCommits,
  CommitMarker,
  count,
  databaseFiles,
  DataDamagedError,
  type DataDir,
  dataDirAt,
  DataDirError,
  fileSize,
  openForReading,
  removeFile,
  storageFault,
} from "../store/mod.ts";
import { compressFile, type Compression, compressionOf } from "./compression.ts";
import { syncDirectory, syncFile } from "./files.ts";

/**
 * Name of a backup while it is written, also compressed. A finished one of that name would be taken for a backup that
 * was stopped, and be removed.
 */
const TEMPORARY_NAME = /\.partial(?:\.(?:gzip|zstd))?$/i;

/** A finished backup. */
export interface Backup {
  /** Size of the file in bytes. */
  readonly bytes: number;
  /** Number of documents. */
  readonly documents: number;
  /** Number of files of queued jobs, which are not included. */
  readonly queuedFiles: number;
}

/** Options of {@linkcode backup}. */
export interface BackupOptions {
  /** Default: by the name of the file: none for `.db`, gzip for `.gz`, otherwise zstd. */
  readonly compression?: Compression;
}

/**
 * Writes a consistent copy of the database to a new file, also while an engine uses it. The copy
 * needs no other file, is checked and on disk when this returns, and readable by its owner only. It does not
 * include the files of queued jobs.
 *
 * @param file Path of the copy, which must not exist.
 * @throws {DataDamagedError} When the database is damaged.
 * @throws {DataDirError} When there is no data, or the file exists, cannot be written or has the name of an incomplete
 * backup.
 *
 * @example
 * ```ts
 * import { backup } from "./backup.ts";
 * import { DataDirError } from "../../mod.ts";
 * import { assertRejects } from "@std/assert";
 * await assertRejects(() => backup("/nowhere", "kb-backup.db"), DataDirError, "no data");
 * ```
 */
export async function backup(
  dataDir: string,
  file: string,
  { compression = compressionOf(file) }: BackupOptions = {},
): Promise<Backup> {
  const dir = dataDirAt(dataDir);
  if (fileSize(dir.database) <= 0) {
    throw new DataDirError(
      `Cannot back up KB_DATA_DIR ${
        JSON.stringify(dataDir)
      }: it has no data. Check that KB_DATA_DIR is set as for the server`,
    );
  }
  // Read before the database, so that it is never ahead of a running writer.
  const { commit } = CommitMarker.read(dir.marker) ?? { commit: 0 };
  using db = openForReading(dir);
  assertCommits(db, dir, commit);
  const path = resolve(file);
  const partial = `${path}.partial`;
  using undo = new DisposableStack();
  if (isOfStore(path, dir)) {
    throw new DataDirError(
      `Cannot write the backup to ${
        JSON.stringify(file)
      }: kb-mcp uses a file of that name. Choose another name`,
    );
  }
  if (TEMPORARY_NAME.test(path)) {
    throw new DataDirError(
      `Cannot write the backup to ${
        JSON.stringify(file)
      }: incomplete backups have names of this kind. Choose another name`,
    );
  }
  if (fileSize(path) >= 0) throw exists(file);
  create(partial, file);
  undo.defer(() => remove(partial));
  undo.defer(() => remove(`${partial}-journal`)); // of a copy that failed
  await copy(db, partial, { dataDir, file });
  const { documents, queuedFiles } = check(partial, { dataDir, file });
  const complete = await compress(partial, compression, { file, undo });
  const { size } = await Deno.stat(complete);
  publish(complete, path, file);
  syncDirectory(resolve(path, ".."));
  return { bytes: size, documents, queuedFiles };
}

/**
 * Whether a path is that of a file which the store or SQLite may have in the data directory: a backup that is named
 * `kb.db-journal` would be taken for a transaction to roll back.
 */
function isOfStore(path: string, { database, lock, reindexLock, marker }: DataDir): boolean {
  const target = inRealFolder(path);
  return [marker, ...[database, lock, reindexLock].flatMap(databaseFiles)]
    .some((file) => inRealFolder(file) === target);
}

/** Returns a path without links in its folder; the path itself if there is no such folder. */
function inRealFolder(path: string): string {
  try {
    return join(Deno.realPathSync(dirname(path)), basename(path));
  } catch {
    return resolve(path);
  }
}

/** Creates an empty file. Errors have the name of the backup, unless an incomplete one is in its way. */
function create(path: string, name: string): void {
  try {
    Deno.openSync(path, { write: true, createNew: true, mode: 0o600 }).close();
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) {
      throw exists(TEMPORARY_NAME.test(path) ? `${name}.partial` : name, error);
    }
    const reason = error instanceof Deno.errors.NotFound
      ? "its directory must exist"
      : "check that this user may create it";
    throw new DataDirError(`Cannot write the backup to ${JSON.stringify(name)}: ${reason}`, { cause: error });
  }
}

function exists(name: string, cause?: unknown): DataDirError {
  const reason = name.endsWith(".partial") ? "it exists, since a backup runs or was stopped" : "it exists";
  return new DataDirError(
    `Cannot write the backup to ${JSON.stringify(name)}: ${reason}. Choose another name, or remove it`,
    { cause },
  );
}

/** Gives a complete copy its name, which no incomplete one has had, and replaces no file. */
function publish(complete: string, path: string, name: string): void {
  try {
    Deno.linkSync(complete, path);
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) throw exists(name, error);
    // Not every file system has links.
    create(path, name);
    Deno.renameSync(complete, path);
  }
}

interface Paths {
  readonly dataDir: string;
  readonly file: string;
}

/** Number of pages per step: all, so that a busy writer cannot make the copy start again. */
const ALL_PAGES = 2 ** 31 - 1;

/**
 * Copies the pages of the database. Not with `VACUUM INTO`, which attaches the new file: without permission for
 * everything, Deno lets SQLite attach none.
 */
async function copy(db: DatabaseSync, path: string, { dataDir, file }: Paths): Promise<void> {
  try {
    await copyPages(db, path, { rate: ALL_PAGES });
    using written = new DatabaseSync(path);
    // The mode is copied too. In WAL mode, reading needs two more files.
    written.exec("PRAGMA journal_mode = DELETE");
  } catch (error) {
    throw storageFault(error) === "storage_damaged" ? damagedSource(dataDir, error) : new DataDirError(
      `Cannot write the backup to ${JSON.stringify(file)}: its disk is full or failing`,
      { cause: error },
    );
  }
}

/** Checks a copy and makes it durable. Returns the numbers of documents and queued files. */
function check(path: string, { dataDir, file }: Paths): { documents: number; queuedFiles: number } {
  syncFile(path);
  using db = new DatabaseSync(path, { readOnly: true });
  let problem: unknown;
  try {
    problem = db.prepare("PRAGMA quick_check(1)").get()?.quick_check;
    if (problem === "ok") {
      return {
        documents: count(db, "SELECT count(*) AS n FROM documents"),
        queuedFiles: count(
          db,
          "SELECT count(*) AS n FROM jobs WHERE status IN ('queued', 'processing') AND spool_file IS NOT NULL",
        ),
      };
    }
  } catch (error) {
    problem = error;
  }
  // Pages are copied as they are.
  throw damagedSource(dataDir, new Error(`The copy ${file} failed its check: ${problem}`));
}

function damagedSource(dataDir: string, cause: unknown): DataDamagedError {
  return new DataDamagedError(
    `Cannot back up KB_DATA_DIR ${
      JSON.stringify(dataDir)
    }: kb.db is damaged. Keep older backups, stop kb-mcp, and restore one ` +
      'of them, or run "kb-mcp repair"',
    { cause },
  );
}

/** Compresses a checked copy. Returns the path of the result. */
async function compress(
  partial: string,
  compression: Compression,
  { file, undo }: { file: string; undo: DisposableStack },
): Promise<string> {
  if (compression === "none") return partial;
  const compressed = `${partial}.${compression}`;
  removeFile(compressed); // of a run that was interrupted
  undo.defer(() => remove(compressed));
  try {
    await compressFile(partial, compressed, compression);
  } catch (cause) {
    throw new DataDirError(
      `Cannot write the backup to ${JSON.stringify(file)}: its disk is full or failing`,
      { cause },
    );
  }
  syncFile(compressed);
  return compressed;
}

function remove(path: string): void {
  try {
    Deno.removeSync(path);
  } catch {
    // Already renamed.
  }
}
