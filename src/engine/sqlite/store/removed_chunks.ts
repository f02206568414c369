import type { DatabaseSync } from "node:sqlite";
import { all, count } from "./sql.ts";

/** The number of the newest removal of a chunk, whether its entry is still there or not; 0: there was none. */
export function newestRemoval(db: DatabaseSync): number {
  return count(db, "SELECT seq AS n FROM sqlite_sequence WHERE name = 'removed_chunks'");
}

/**
 * The chunks that were removed after a removal, for whoever keeps parts of the store in memory.
 *
 * @param last The number of the last removal that was followed.
 * @returns Their ids, and the number of the last of these removals; undefined ids: some entries have been pruned, and whoever asks
 * has to start over.
 */
export function removalsAfter(db: DatabaseSync, last: number): { ids: number[] | undefined; newest: number } {
  const counted = newestRemoval(db);
  if (counted === last) return { ids: [], newest: last };
  const rows = all<{ seq: number; chunk_id: number }>(
    db,
    "SELECT seq, chunk_id FROM removed_chunks WHERE seq > ? ORDER BY seq",
    last,
  );
  // Without a transaction around both, more may have come between them.
  const newest = Math.max(counted, rows.at(-1)?.seq ?? 0);
  const ids = rows.map(({ chunk_id }) => chunk_id);
  return { ids: ids.length === newest - last ? ids : undefined, newest };
}
