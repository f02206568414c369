import type { DatabaseSync } from "node:sqlite";
import { all, count } from "./sql.ts";

/** Returns the sequence number of the latest removal of a chunk, pruned or not; 0 without removals. */
export function newestRemoval(db: DatabaseSync): number {
  return count(db, "SELECT seq AS n FROM sqlite_sequence WHERE name = 'removed_chunks'");
}

/**
 * Returns the chunks removed since a cache was last updated.
 *
 * @param last Sequence number of the last removal that the cache has applied.
 * @returns Ids of the chunks, and the sequence number of the latest removal. `ids` is undefined if entries were pruned and the
 * cache must start over.
 */
export function removalsAfter(db: DatabaseSync, last: number): { ids: number[] | undefined; newest: number } {
  const counted = newestRemoval(db);
  if (counted === last) return { ids: [], newest: last };
  const rows = all<{ seq: number; chunk_id: number }>(
    db,
    "SELECT seq, chunk_id FROM removed_chunks WHERE seq > ? ORDER BY seq",
    last,
  );
  // Without a transaction, removals can be added between the two statements.
  const newest = Math.max(counted, rows.at(-1)?.seq ?? 0);
  const ids = rows.map(({ chunk_id }) => chunk_id);
  return { ids: ids.length === newest - last ? ids : undefined, newest };
}
