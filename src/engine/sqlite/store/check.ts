import type { DatabaseSync } from "node:sqlite";
import { closedFile, CommitMarker, lastCommit } from "./commit_marker.ts";
import {
  DataDamagedError,
  type DataDir,
  fileSize,
  hasRollbackJournal,
  hasWriteAheadLog,
} from "./data_dir.ts";
import { damaged, openForReading, toDataDirError } from "./open_for_reading.ts";
import { all, count, first, hasTable } from "./sql.ts";

/** Time after which no further table is checked, in milliseconds. */
const MAX_CHECK_MS = 2000;

/**
 * Maximum size of a database whose large tables are checked, in bytes. `quick_check` of one table cannot be
 * interrupted; it reads about 1 GB/s from memory, and as much as the disk delivers otherwise.
 */
const MAX_CHECKED_BYTES = 512 * 2 ** 20;

/** Tables that grow with the text. Checked last, and only if the file has changed since it was closed. */
const LARGE_TABLES = [
  "documents",
  "document_tags",
  "jobs",
  "chunk_columns",
  "chunks_fts_docsize",
  "chunks",
  "chunks_fts_data",
  "derived_fts_docsize",
  "derived_fts_content",
  "derived_fts_data",
  "chunk_vectors",
  "vector_pages",
  "document_usage",
  "note_texts",
  "revisions",
  "source_files",
];

/**
 * Refuses a database that is damaged, missing, or lacks acknowledged commits. Changes nothing: opening a
 * damaged database for writing would discard what its write-ahead log still holds.
 *
 * Always checks the files, the schema and the small tables; the rest unless the file is the one that was
 * closed, and as far as {@linkcode MAX_CHECK_MS} and {@linkcode MAX_CHECKED_BYTES} allow. Damage elsewhere is
 * found when it is read.
 *
 * @throws {DataDamagedError} When the data must be restored or repaired.
 * @throws {DataDirError} When the database cannot be opened.
 */
export function checkDatabase(dir: DataDir): void {
  const marker = CommitMarker.read(dir.marker);
  const hasLog = hasWriteAheadLog(dir);
  const size = fileSize(dir.database);
  if (size <= 0) {
    if (!marker && !hasLog) return; // a new directory, or a start that was killed before it created the database
    throw replaced(dir, size < 0 ? "it is missing" : "it is empty");
  }
  // Only the writing connection can read it, after rolling back.
  if (!marker && hasRollbackJournal(dir)) return;
  const db = openForReading(dir);
  try {
    const isOurs = hasTable(db, "schema_migrations");
    if (!isOurs && count(db, "SELECT count(*) AS n FROM sqlite_schema") > 0) {
      if (marker) throw replaced(dir, "it was made by another program");
      return; // openForWriting rejects it
    }
    assertCommits(db, dir, marker?.commit ?? 0);
    if (!isOurs) return; // new
    const { closed } = marker ?? {};
    const now = closedFile(dir.database);
    const isUnchanged = !hasLog && closed?.size === now.size && closed.mtime === now.mtime;
    checkTables(db, dir, { includeLarge: !isUnchanged && size <= MAX_CHECKED_BYTES });
  } catch (error) {
    throw toDataDirError(error, dir);
  } finally {
    db.close();
  }
}

/** The error for a database that is not the one that kb-mcp stored its data in. */
function replaced(dir: DataDir, problem: string): DataDamagedError {
  return new DataDamagedError(
    `Cannot open kb.db in KB_DATA_DIR ${JSON.stringify(dir.path)}: ${problem}, although kb-mcp has stored ` +
      `data here. Restore a backup into an empty directory; to start with an empty knowledge base, remove kb.commit${
        hasWriteAheadLog(dir) ? " and kb.db-wal" : ""
      }`,
  );
}

/**
 * Refuses a database that lacks acknowledged commits.
 *
 * @param expected Number of the marker. Read it before the database, so that it is not ahead of a running writer.
 * @throws {DataDamagedError} When the database lacks acknowledged commits.
 */
export function assertCommits(db: DatabaseSync, dir: DataDir, expected: number): void {
  if (expected === 0) return;
  const found = hasTable(db, "last_commit") ? lastCommit(db) : 0;
  if (found >= expected) return;
  throw new DataDamagedError(
    `Cannot open kb.db in KB_DATA_DIR ${
      JSON.stringify(dir.path)
    }: it ends at commit ${found}, but commit ${expected} ` +
      "was acknowledged. Its write-ahead log kb.db-wal is damaged or was removed, or an older kb.db was copied over it: " +
      'put the right files back, restore a backup into an empty directory, or accept the data as it is with "kb-mcp repair"',
  );
}

function checkTables(db: DatabaseSync, dir: DataDir, { includeLarge }: { includeLarge: boolean }): void {
  const deadline = performance.now() + MAX_CHECK_MS;
  const tables = all<{ name: string }>(
    db,
    // Not virtual tables: FTS5 reads its whole index. Its own tables are checked instead.
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL %'",
  ).map(({ name }) => name);
  const small = tables.filter((name) => !LARGE_TABLES.includes(name));
  const large = includeLarge ? LARGE_TABLES.filter((name) => tables.includes(name)) : [];
  for (const table of ["sqlite_schema", ...small, ...large]) {
    if (performance.now() > deadline) return;
    const problem = db.prepare(`PRAGMA quick_check('${table}')`).get()?.quick_check;
    if (problem !== "ok") throw damaged(dir, `its table ${table} is malformed`);
  }
  // Reads the structure of the indexes.
  for (const index of ["chunks_fts", "derived_fts"]) {
    if (tables.includes(`${index}_data`)) {
      first(db, `SELECT rowid FROM ${index} WHERE ${index} MATCH 'a' LIMIT 1`);
    }
  }
}
