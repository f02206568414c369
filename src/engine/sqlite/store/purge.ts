import type { DatabaseSync } from "node:sqlite";
import { type StoredText, textOf } from "./packed_texts.ts";
import { all, count, rollBack, run } from "./sql.ts";

/**
 * Maximum number of chunks whose terms are erased from the full-text index immediately. With secure-delete,
 * FTS5 rewrites a page for each term of each row, which takes about 10 ms per chunk: a book would block other
 * writes for minutes.
 */
const MAX_IMMEDIATE = 16;

/** The full-text indexes, of words and of derived terms. */
const INDEXES = ["chunks_fts", "derived_fts"] as const;

/** Number of index pages that one step of a purge rewrites; takes well below 100 ms. */
const STEP_PAGES = 256;

/** Values of `PRAGMA user_version`: whether the index may contain terms of deleted rows. */
const CLEAN = 0;
const PURGE_DUE = 1;
const PURGING = 2;

/**
 * Removes chunks from the full-text index. Many chunks are only marked as deleted, which is as fast as indexing, and
 * purged later by {@linkcode purgeStep}.
 *
 * @throws {DamagedTextError} When a text cannot be read: its terms would stay in the index.
 */
export function removeFromIndex(db: DatabaseSync, chunks: readonly number[]): void {
  assertReadable(db, chunks);
  const isDeferred = chunks.length > MAX_IMMEDIATE;
  if (isDeferred) db.exec(`${setSecureDelete(0)}; PRAGMA user_version = ${PURGE_DUE}`);
  try {
    for (const index of INDEXES) {
      run(
        db,
        `DELETE FROM ${index} WHERE rowid IN (SELECT value FROM json_each(?))`,
        JSON.stringify(chunks),
      );
    }
  } finally {
    if (isDeferred) db.exec(setSecureDelete(1));
  }
}

/**
 * Erases terms of deleted rows from a part of the index, in a transaction of its own.
 *
 * @returns Whether more steps are needed.
 */
export function purgeStep(db: DatabaseSync): boolean {
  const state = count(db, "SELECT user_version AS n FROM pragma_user_version");
  if (state === CLEAN) return false;
  // https://www.sqlite.org/fts5.html#the_merge_command: a negative number starts a merge of the whole index,
  // positive ones continue it, and one that changes fewer than 2 rows was the last.
  db.exec("BEGIN IMMEDIATE");
  try {
    const pages = state === PURGE_DUE ? -STEP_PAGES : STEP_PAGES;
    const changes = INDEXES.map((index) => {
      const before = totalChanges(db);
      db.exec(`INSERT INTO ${index} (${index}, rank) VALUES ('merge', ${pages})`);
      return totalChanges(db) - before;
    });
    const isDone = state === PURGING && changes.every((count) => count < 2);
    db.exec(`PRAGMA user_version = ${isDone ? CLEAN : PURGING}; COMMIT`);
    return !isDone;
  } catch (error) {
    rollBack(db);
    throw error;
  }
}

/** FTS5 reads the texts of chunks again to remove their terms. The function that unpacks them for it cannot fail. */
function assertReadable(db: DatabaseSync, chunks: readonly number[]): void {
  const packed = all<{ text: StoredText }>(
    db,
    "SELECT c.text FROM json_each(?) j CROSS JOIN chunks c ON c.id = j.value WHERE typeof(c.text) <> 'text'",
    JSON.stringify(chunks),
  );
  for (const { text } of packed) textOf(db, text);
}

function setSecureDelete(on: 0 | 1): string {
  return INDEXES.map((index) => `INSERT INTO ${index} (${index}, rank) VALUES ('secure-delete', ${on})`).join(
    ";",
  );
}

function totalChanges(db: DatabaseSync): number {
  return count(db, "SELECT total_changes() AS n");
}
