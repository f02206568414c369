import type { DatabaseSync } from "node:sqlite";
import { isOutOfMemory } from "../store/mod.ts";

/** A row of a table that may be damaged: its values can be anything. */
export type Row = Record<string, unknown> & { readonly id: number };

/** Number of rows that one statement reads. */
const BATCH_SIZE = 256;

/**
 * Number of consecutive ids that are tried one by one after an unreadable row. After that the distance
 * doubles, so that damage at the end of a table does not try every possible id.
 */
const MAX_SINGLE_STEPS = 20_000;

/**
 * Yields the rows of a table that can be read, in the order of their ids, and skips damaged pages: a seek to a
 * later id takes another path through the tree.
 *
 * @param source.id Name of the column that is the rowid.
 * @param source.onDamage Called when rows cannot be read.
 */
export function* readableRows(
  db: DatabaseSync,
  { table, id, columns, onDamage }: {
    table: string;
    id: string;
    columns: readonly string[];
    onDamage: () => void;
  },
): Generator<Row> {
  const list = [`${id} AS id`, ...columns.filter((column) => column !== id)].join();
  const select = db.prepare(`SELECT ${list} FROM ${table} WHERE ${id} >= ? ORDER BY ${id} LIMIT ?`);
  /** Returns undefined if a row of the batch cannot be read. */
  const read = (from: number, limit: number): Row[] | undefined => {
    try {
      return select.all(from, limit) as Row[];
    } catch (error) {
      if (isOutOfMemory(error)) throw error;
      onDamage();
      return undefined;
    }
  };
  const last = lastId(db, table);
  let limit = BATCH_SIZE;
  let failures = 0;
  for (let next = 0; next <= last;) {
    const rows = read(next, limit);
    if (rows) {
      // Ids that do not grow are damage, too: continuing with them would not end.
      const valid = rows.filter((row) => Number.isSafeInteger(row.id) && row.id >= next);
      yield* valid;
      if (valid.length === 0) return;
      next = valid.at(-1)!.id + 1;
      failures = 0;
      limit = Math.min(limit * 2, BATCH_SIZE);
    } else if (limit > 1) {
      limit = 1;
    } else {
      next += ++failures <= MAX_SINGLE_STEPS ? 1 : 2 ** (failures - MAX_SINGLE_STEPS);
    }
  }
}

/** Returns the largest id that was ever used, as far as it can be read. */
function lastId(db: DatabaseSync, table: string): number {
  try {
    const seq = db.prepare("SELECT seq FROM sqlite_sequence WHERE name = ?").get(table)?.seq;
    if (Number.isSafeInteger(seq)) return Number(seq);
  } catch {
    // The table of sequences is damaged, too.
  }
  return Number.MAX_SAFE_INTEGER;
}
