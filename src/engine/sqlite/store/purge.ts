import type { DatabaseSync } from "node:sqlite";
import { count, run } from "./sql.ts";

/**
 * Chunks of a document up to which its words are taken out of the full-text index at once. With secure-delete FTS5 rewrites
 * a page for each word of each row, some 10 ms for a chunk; for a book that would stop every other write for minutes.
 */
const AT_ONCE = 16;

/** Pages of the index that one step of a purge rewrites: well below 100 ms. */
const PAGES = 256;

/** `PRAGMA user_version` says, across restarts, whether words of deleted rows may be left in the index. */
const CLEAN = 0;
const TO_BEGIN = 1;
const BEGUN = 2;

/**
 * Takes a document's chunks out of the full-text index. Those of a long one are only marked as deleted, which is as fast as
 * writing them was, and purged later.
 */
export function removeFromIndex(db: DatabaseSync, documentId: number): void {
  const chunks = count(db, "SELECT count(*) AS n FROM chunks WHERE document_id = ?", documentId);
  const later = chunks > AT_ONCE;
  if (later) db.exec(`${setSecureDelete(0)}; PRAGMA user_version = ${TO_BEGIN}`);
  try {
    run(
      db,
      "DELETE FROM chunks_fts WHERE rowid IN (SELECT id FROM chunks WHERE document_id = ?)",
      documentId,
    );
  } finally {
    if (later) db.exec(setSecureDelete(1));
  }
}

/**
 * Rewrites a part of the index without the words that are marked as deleted, in a transaction of its own. Does nothing when
 * there are none.
 *
 * @returns Whether there is more to do.
 */
export function purgeStep(db: DatabaseSync): boolean {
  const state = count(db, "SELECT user_version AS n FROM pragma_user_version");
  if (state === CLEAN) return false;
  // https://www.sqlite.org/fts5.html#the_merge_command: a negative number begins a merge of everything, positive ones
  // go on with it, and one that changes fewer than 2 rows found nothing left.
  const before = totalChanges(db);
  db.exec("BEGIN IMMEDIATE");
  try {
    const pages = state === TO_BEGIN ? -PAGES : PAGES;
    db.exec(`INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('merge', ${pages})`);
    const isDone = state === BEGUN && totalChanges(db) - before < 2;
    db.exec(`PRAGMA user_version = ${isDone ? CLEAN : BEGUN}; COMMIT`);
    return !isDone;
  } catch (error) {
    db.exec("ROLLBACK");
    throw error;
  }
}

function setSecureDelete(on: 0 | 1): string {
  return `INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('secure-delete', ${on})`;
}

function totalChanges(db: DatabaseSync): number {
  return count(db, "SELECT total_changes() AS n");
}
