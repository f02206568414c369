import type { DatabaseSync } from "node:sqlite";
import { all, count, run } from "./sql.ts";

/** Maximum number of log entries. A cache that is further behind reloads everything. */
const MAX_ENTRIES = 100_000;

/** Adds chunks that are about to be deleted to the log. Prunes old entries. */
export function logDeletions(db: DatabaseSync, chunks: readonly number[]): void {
  const { changes, id: seq } = run(
    db,
    "INSERT INTO removed_chunks (chunk_id) SELECT value FROM json_each(?) ORDER BY value",
    JSON.stringify(chunks),
  );
  if (changes > 0) run(db, "DELETE FROM removed_chunks WHERE seq <= ?", seq - MAX_ENTRIES);
}

/** Returns the sequence number of the last entry, pruned or not; 0 for an empty log. */
export function lastDeletion(db: DatabaseSync): number {
  return count(db, "SELECT seq AS n FROM sqlite_sequence WHERE name = 'removed_chunks'");
}

/**
 * Returns the chunks deleted since a cache was last updated.
 *
 * @param applied Sequence number of the last entry that the cache has applied.
 * @returns Ids of the chunks, or undefined if entries were pruned and the cache must reload; and the sequence
 * number of the last entry.
 */
export function deletionsAfter(
  db: DatabaseSync,
  applied: number,
): { ids: number[] | undefined; last: number } {
  const known = lastDeletion(db);
  if (known === applied) return { ids: [], last: applied };
  const rows = all<{ seq: number; chunk_id: number }>(
    db,
    "SELECT seq, chunk_id FROM removed_chunks WHERE seq > ? ORDER BY seq",
    applied,
  );
  // Outside a transaction, entries can be added between the two statements.
  const last = Math.max(known, rows.at(-1)?.seq ?? 0);
  const ids = rows.map(({ chunk_id }) => chunk_id);
  return { ids: ids.length === last - applied ? ids : undefined, last };
}
