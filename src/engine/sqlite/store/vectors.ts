import type { DatabaseSync } from "node:sqlite";
import { all, count, first, inTransaction, run } from "./sql.ts";

/** Ids of chunks that one look for missing vectors goes through: some milliseconds, however many chunks there are. */
const WINDOW = 2000;

/** Chunks without a vector, and where to look on. */
export interface MissingVectors {
  /** Ids, ascending. */
  readonly ids: readonly number[];
  /** Every chunk up to this id has been looked at. */
  readonly upTo: number;
  /** Whether that is all there are. */
  readonly isEnd: boolean;
}

/** Chunks behind `after` that have no vector in a set, among the next few thousand. */
export function missingVectors(
  db: DatabaseSync,
  setId: number,
  after: number,
  limit: number,
): MissingVectors {
  const last = count(db, "SELECT max(id) AS n FROM chunks");
  const end = Math.min(last, after + WINDOW);
  const ids = all<{ id: number }>(
    db,
    `SELECT c.id AS id FROM chunks c
      WHERE c.id > ? AND c.id <= ?
        AND NOT EXISTS (SELECT 1 FROM chunk_vectors v WHERE v.chunk_id = c.id AND v.set_id = ?)
      ORDER BY c.id LIMIT ?`,
    after,
    end,
    setId,
    limit,
  ).map(({ id }) => id);
  const upTo = ids.length === limit ? ids.at(-1)! : Math.max(end, after);
  return { ids, upTo, isEnd: upTo >= last };
}

/** What a vector is made of. */
export interface EmbeddableChunk {
  readonly id: number;
  readonly title: string;
  readonly headings: readonly string[];
  readonly text: string;
}

/** Chunks by their ids; those that are gone are left out. */
export function embeddableChunks(db: DatabaseSync, ids: readonly number[]): EmbeddableChunk[] {
  return all<{ id: number; title: string; heading_path: string; text: string }>(
    db,
    `SELECT c.id AS id, d.title AS title, c.heading_path AS heading_path, c.text AS text
       FROM json_each(?) wanted JOIN chunks c ON c.id = wanted.value JOIN documents d ON d.id = c.document_id`,
    JSON.stringify(ids),
  ).map(({ heading_path, ...chunk }) => ({ ...chunk, headings: JSON.parse(heading_path) as string[] }));
}

/** A chunk's vector; null: the model refused its text. */
export interface ChunkVector {
  readonly chunkId: number;
  readonly vector: Float32Array | null;
}

/** Vectors that do not belong into their set: of another model, or none any more. Nothing was stored. */
export class VectorsRefused extends Error {
  override name = "VectorsRefused";
  readonly reason: "wrong_dimensions" | "no_such_set";

  constructor(reason: VectorsRefused["reason"], message: string) {
    super(message);
    this.reason = reason;
  }
}

/**
 * Stores vectors in a transaction of its own. Chunks that are gone by now are left out, those that have a vector keep it.
 *
 * @throws {VectorsRefused} When the set's vectors have another length, or the set is gone.
 */
export function storeVectors(db: DatabaseSync, setId: number, vectors: readonly ChunkVector[]): void {
  inTransaction(db, () => {
    const set = first<{ dimensions: number | null }>(
      db,
      "SELECT dimensions FROM embedding_sets WHERE id = ?",
      setId,
    );
    if (!set) throw new VectorsRefused("no_such_set", "The vectors' set was removed");
    const length = vectors.find(({ vector }) => vector)?.vector?.length;
    if (length !== undefined && set.dimensions === null) {
      run(db, "UPDATE embedding_sets SET dimensions = ? WHERE id = ?", length, setId);
    } else if (length !== undefined && set.dimensions !== length) {
      throw new VectorsRefused(
        "wrong_dimensions",
        `The embedding model answers vectors of ${length} dimensions, those that are stored have ${set.dimensions}`,
      );
    }
    for (const { chunkId, vector } of vectors) {
      run(
        db,
        `INSERT INTO chunk_vectors (chunk_id, set_id, vector)
         SELECT ?1, ?2, ?3 WHERE EXISTS (SELECT 1 FROM chunks WHERE id = ?1)
             ON CONFLICT (chunk_id, set_id) DO NOTHING`,
        chunkId,
        setId,
        toBlob(vector),
      );
    }
  });
}

/** How far a set is. */
export interface VectorCounts {
  /** Length of its vectors; null until the first is known. */
  readonly dimensions: number | null;
  /** Chunks that have their vector. */
  readonly embedded: number;
  /** Chunks whose text the model refused. */
  readonly refused: number;
  /** Chunks in all. */
  readonly total: number;
}

interface Counted {
  readonly counts: VectorCounts;
  readonly setId: number;
  /** `PRAGMA data_version`, which another connection's commit changes. */
  readonly version: number;
  readonly at: number;
}

/** Chunks from which counting them for every search would be felt: milliseconds. */
const MANY = 20_000;
/** Age up to which counts of many are good enough while they change, in milliseconds. */
const FRESH_MS = 100;

/** What was counted last on each connection. */
const counted = new WeakMap<DatabaseSync, Counted>();

/**
 * Counts a set's vectors, only after something was written, and no more than ten times a second where there are many: 3 ms for
 * 100,000 of them.
 *
 * @param db A connection that does not write itself.
 */
export function vectorCounts(db: DatabaseSync, setId: number): VectorCounts {
  const version = count(db, "SELECT data_version AS n FROM pragma_data_version");
  const last = counted.get(db);
  if (last?.setId === setId) {
    const isFresh = last.counts.total >= MANY && performance.now() - last.at < FRESH_MS;
    if (isFresh || last.version === version) return last.counts;
  }
  const counts = countVectors(db, setId);
  counted.set(db, { counts, setId, version, at: performance.now() });
  return counts;
}

/** Counts a set's vectors anew: in one statement, so that all counts are of one moment. */
export function countVectors(db: DatabaseSync, setId: number): VectorCounts {
  const counts = first<{ dimensions: number | null; vectors: number; refused: number; total: number }>(
    db,
    // SQLite counts a whole table without looking at its rows.
    `SELECT (SELECT dimensions FROM embedding_sets WHERE id = ?1) AS dimensions,
            CASE (SELECT count(*) FROM embedding_sets)
              WHEN 1 THEN (SELECT count(*) FROM chunk_vectors)
              ELSE (SELECT count(*) FROM chunk_vectors WHERE set_id = ?1)
            END AS vectors,
            (SELECT count(*) FROM chunk_vectors WHERE set_id = ?1 AND length(vector) = 0) AS refused,
            (SELECT count(*) FROM chunks) AS total`,
    setId,
  );
  const { dimensions = null, vectors = 0, refused = 0, total = 0 } = counts ?? {};
  return { dimensions, embedded: vectors - refused, refused, total };
}

/** A vector as it is stored: float32, little-endian as every platform of ours is; empty: none. */
function toBlob(vector: Float32Array | null): Uint8Array {
  return vector ? new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength) : new Uint8Array();
}
