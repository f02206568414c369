import type { DatabaseSync } from "node:sqlite";
import { all, first, inTransaction, run } from "./sql.ts";
import { decodeVector, encodeVector, float32VectorBytes } from "./stored_vector.ts";

/** Number of vectors that one step converts; takes a few milliseconds. */
const STEP_SIZE = 256;

interface OldSet {
  readonly id: number;
  readonly dimensions: number | null;
  /** Vectors with larger sequence numbers are converted. */
  readonly float32_seq: number;
}

interface VectorRow {
  readonly seq: number;
  readonly chunk_id: number;
  readonly vector: Uint8Array<ArrayBuffer>;
}

/** Whether there are vectors that an older version stored as float32. */
export function hasVectorsToConvert(db: DatabaseSync): boolean {
  return oldSet(db) !== undefined;
}

/**
 * Converts up to 256 vectors that an older version stored as float32, in a transaction of its own. The next step
 * continues, in this process or another one.
 *
 * @returns Whether more steps are needed.
 */
export function conversionStep(db: DatabaseSync): boolean {
  if (!hasVectorsToConvert(db)) return false;
  return inTransaction(db, () => {
    const set = oldSet(db);
    if (!set) return false;
    const rows = all<VectorRow>(
      db,
      "SELECT seq, chunk_id, vector FROM chunk_vectors WHERE set_id = ? AND seq <= ? ORDER BY seq DESC LIMIT ?",
      set.id,
      set.float32_seq,
      STEP_SIZE,
    );
    replaceVectors(db, set, rows.reverse());
    const remaining = rows.length < STEP_SIZE ? 0 : rows[0]!.seq - 1;
    run(db, "UPDATE embedding_sets SET float32_seq = ? WHERE id = ?", remaining, set.id);
    return hasVectorsToConvert(db);
  });
}

function oldSet(db: DatabaseSync): OldSet | undefined {
  return first<OldSet>(
    db,
    "SELECT id, dimensions, float32_seq FROM embedding_sets WHERE float32_seq > 0 LIMIT 1",
  );
}

/** Keeps the sequence numbers: readers have loaded these vectors, and need not load them again. */
function replaceVectors(db: DatabaseSync, { id, dimensions }: OldSet, rows: readonly VectorRow[]): void {
  if (dimensions === null) return;
  const old = rows.filter(({ vector }) => vector.byteLength === float32VectorBytes(dimensions));
  // SQLite does not merge pages whose rows an UPDATE has shortened. It frees those whose rows are all deleted.
  for (const { seq } of old) run(db, "DELETE FROM chunk_vectors WHERE seq = ?", seq);
  for (const { seq, chunk_id, vector } of old) {
    run(
      db,
      "INSERT INTO chunk_vectors (seq, chunk_id, set_id, vector) VALUES (?, ?, ?, ?)",
      seq,
      chunk_id,
      id,
      encodeVector(decodeVector(vector, dimensions)),
    );
  }
}
