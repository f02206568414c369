import type { DatabaseSync } from "node:sqlite";
import { DOCUMENT_OF_CHUNK } from "./content_ids.ts";
import { type StoredRow, withTexts } from "./packed_texts.ts";
import { all, count, dataVersion, first, inTransaction, run } from "./sql.ts";
import { encodeVector } from "./stored_vector.ts";

/** Range of chunk ids that one scan covers; takes a few milliseconds, however many chunks there are. */
const SCAN_RANGE = 2000;

/** A range of chunk ids. */
export interface ChunkRange {
  /** Id before the first one. */
  readonly after: number;
  /** Last id. @default the last chunk's */
  readonly last?: number;
}

/** Chunks without a vector, in a range of ids. */
export interface MissingVectors {
  /** Ids of chunks of notes, ascending. */
  readonly notes: readonly number[];
  /** Ids of other chunks, ascending. */
  readonly others: readonly number[];
  /** Last id that was scanned. */
  readonly upTo: number;
}

/** Scans the first 2,000 ids of a range for chunks without a vector in a set. */
export function missingVectors(db: DatabaseSync, setId: number, range: ChunkRange): MissingVectors {
  const { after, last = lastChunkId(db) } = range;
  const upTo = Math.max(after, Math.min(last, after + SCAN_RANGE));
  const chunks = all<{ id: number; is_note: number }>(
    db,
    `SELECT c.id AS id, d.doc_type = 'note' AS is_note FROM chunks c JOIN documents d ON d.id = ${DOCUMENT_OF_CHUNK}
      WHERE c.id > ? AND c.id <= ?
        AND NOT EXISTS (SELECT 1 FROM chunk_vectors v WHERE v.chunk_id = c.id AND v.set_id = ?)
      ORDER BY c.id`,
    after,
    upTo,
    setId,
  );
  const idsOf = (isNote: boolean) =>
    chunks.filter(({ is_note }) => (is_note === 1) === isNote).map(({ id }) => id);
  return { notes: idsOf(true), others: idsOf(false), upTo };
}

/** Returns the ids of the texts that are being written; see contents.ts. */
export function stagedContents(db: DatabaseSync): number[] {
  return all<{ id: number }>(db, "SELECT id FROM contents WHERE is_staged = 1").map(({ id }) => id);
}

/** Returns the ids of the chunks of a text without a vector in a set, ascending. Those of a hidden text: none. */
export function missingVectorsOf(db: DatabaseSync, setId: number, contentId: number): number[] {
  return all<{ id: number }>(
    db,
    `SELECT c.id FROM contents x JOIN chunks c ON c.document_id = x.id
      WHERE x.id = ? AND x.document_id IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM chunk_vectors v WHERE v.chunk_id = c.id AND v.set_id = ?)
      ORDER BY c.id`,
    contentId,
    setId,
  ).map(({ id }) => id);
}

/** Maximum number of chunks of a document whose vectors are counted: 20,000 take about 20 ms. */
const MAX_COUNTED_CHUNKS = 20_000;

/** Counts the chunks of a document and those with a vector. Undefined: it has too many chunks, or none. */
export function documentVectors(
  db: DatabaseSync,
  setId: number,
  documentId: number,
): { readonly done: number; readonly total: number } | undefined {
  const chunks = count(db, "SELECT chunk_count AS n FROM documents WHERE id = ?", documentId);
  if (chunks === 0 || chunks > MAX_COUNTED_CHUNKS) return undefined;
  return first(
    db,
    `SELECT count(v.seq) AS done, count(*) AS total
       FROM (SELECT ? AS id UNION ALL SELECT id FROM contents WHERE document_id = ?) text
       JOIN chunks c ON c.document_id = text.id
       LEFT JOIN chunk_vectors v ON v.chunk_id = c.id AND v.set_id = ?`,
    documentId,
    documentId,
    setId,
  );
}

/** Largest id of a chunk; 0 without chunks. */
export function lastChunkId(db: DatabaseSync): number {
  return count(db, "SELECT max(id) AS n FROM chunks");
}

/** A chunk with the context that its vector represents. */
export interface EmbeddableChunk {
  readonly id: number;
  readonly title: string;
  readonly headings: readonly string[];
  readonly text: string;
}

/** Returns chunks by id. Deleted ones are omitted. */
export function embeddableChunks(db: DatabaseSync, ids: readonly number[]): EmbeddableChunk[] {
  const rows = all<StoredRow<{ id: number; title: string; heading_path: string; text: string }>>(
    db,
    `SELECT c.id AS id, d.title AS title, c.heading_path AS heading_path, c.text AS text
       FROM json_each(?) wanted JOIN chunks c ON c.id = wanted.value JOIN documents d ON d.id = ${DOCUMENT_OF_CHUNK}`,
    JSON.stringify(ids),
  );
  return withTexts(db, rows)
    .map(({ heading_path, ...chunk }) => ({ ...chunk, headings: JSON.parse(heading_path) as string[] }));
}

/** Vector of a chunk; null if the model rejected its text. */
export interface ChunkVector {
  readonly chunkId: number;
  readonly vector: Float32Array | null;
}

/** Vectors do not fit their set. Nothing was stored. */
export class VectorsRejectedError extends Error {
  /** Always `VectorsRejectedError`. */
  override name = "VectorsRejectedError";
  /** `wrong_dimensions`: the set has vectors of another length. `no_such_set`: the set was removed. */
  readonly code: "wrong_dimensions" | "no_such_set";

  constructor(code: VectorsRejectedError["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Stores vectors in a transaction of its own. Deleted chunks are skipped, and existing vectors are kept.
 *
 * @throws {VectorsRejectedError} When the set has vectors of another length, or was removed.
 */
export function storeVectors(db: DatabaseSync, setId: number, vectors: readonly ChunkVector[]): void {
  inTransaction(db, () => {
    const set = first<{ dimensions: number | null }>(
      db,
      "SELECT dimensions FROM embedding_sets WHERE id = ?",
      setId,
    );
    if (!set) throw new VectorsRejectedError("no_such_set", "The set of the vectors was removed");
    const length = vectors.find(({ vector }) => vector)?.vector?.length;
    if (length !== undefined && set.dimensions === null) {
      run(db, "UPDATE embedding_sets SET dimensions = ? WHERE id = ?", length, setId);
    } else if (length !== undefined && set.dimensions !== length) {
      throw new VectorsRejectedError(
        "wrong_dimensions",
        `The embedding model returns vectors of ${length} dimensions, but the stored ones have ${set.dimensions}`,
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
        // Empty: the model rejected the text.
        vector ? encodeVector(vector) : new Uint8Array(),
      );
    }
  });
}

/** Progress of a set of vectors. */
export interface VectorCounts {
  /** Dimensions of the vectors; null until the first one is stored. */
  readonly dimensions: number | null;
  /** Number of chunks with a vector. */
  readonly embedded: number;
  /** Number of chunks whose text the model rejected. */
  readonly refused: number;
  /** Number of chunks. */
  readonly total: number;
}

interface CachedCounts {
  readonly counts: VectorCounts;
  readonly setId: number;
  /** `PRAGMA data_version`, which changes with each commit of another connection. */
  readonly version: number;
  /** Time of the count, in milliseconds of `performance.now`. */
  readonly countedAt: number;
}

/** Number of chunks from which counting takes milliseconds, which every search would notice. */
const MANY_CHUNKS = 20_000;
/** Maximum age of the counts of that many chunks, in milliseconds. */
const MAX_AGE_MS = 100;

/** Latest counts of each connection. */
const cache = new WeakMap<DatabaseSync, CachedCounts>();

/**
 * Counts the vectors of a set. Cached until the next commit; for large stores, where counting takes 3 ms per
 * 100,000 chunks, for at least 100 ms.
 *
 * @param db A connection that does not write: its own commits do not invalidate the cache.
 */
export function vectorCounts(db: DatabaseSync, setId: number): VectorCounts {
  const known = cache.get(db);
  const last = known?.setId === setId ? known : undefined;
  const isFresh = last && last.counts.total >= MANY_CHUNKS && performance.now() - last.countedAt < MAX_AGE_MS;
  if (isFresh) return last.counts;
  const version = dataVersion(db);
  if (last?.version === version) return last.counts;
  const counts = countVectors(db, setId);
  cache.set(db, { counts, setId, version, countedAt: performance.now() });
  return counts;
}

/** Counts the vectors of a set in one statement, so that the counts are consistent. */
export function countVectors(db: DatabaseSync, setId: number): VectorCounts {
  const counts = first<
    { dimensions: number | null; vectors: number; refused: number; total: number; has_hidden: number }
  >(
    db,
    // Without a condition, SQLite counts a table without reading its rows.
    `SELECT (SELECT dimensions FROM embedding_sets WHERE id = ?1) AS dimensions,
            CASE (SELECT count(*) FROM embedding_sets)
              WHEN 1 THEN (SELECT count(*) FROM chunk_vectors)
              ELSE (SELECT count(*) FROM chunk_vectors WHERE set_id = ?1)
            END AS vectors,
            (SELECT count(*) FROM chunk_vectors WHERE set_id = ?1 AND length(vector) = 0) AS refused,
            (SELECT count(*) FROM chunks) AS total,
            EXISTS (SELECT 1 FROM contents WHERE document_id IS NULL AND chunk_count > 0) AS has_hidden`,
    setId,
  );
  const { dimensions = null, vectors = 0, refused = 0, total = 0, has_hidden = 0 } = counts ?? {};
  if (has_hidden) {
    const hidden = hiddenVectors(db, setId);
    return {
      dimensions,
      embedded: vectors - refused - hidden.embedded,
      refused: refused - hidden.refused,
      total: total - hidden.total,
    };
  }
  return { dimensions, embedded: vectors - refused, refused, total };
}

/** Counts the chunks of hidden texts and their vectors. */
function hiddenVectors(db: DatabaseSync, setId: number): Omit<VectorCounts, "dimensions"> {
  const counts = first<{ total: number; vectors: number; refused: number }>(
    db,
    `SELECT count(*) AS total, count(v.seq) AS vectors, coalesce(sum(length(v.vector) = 0), 0) AS refused
       FROM contents x JOIN chunks c ON c.document_id = x.id
            LEFT JOIN chunk_vectors v ON v.chunk_id = c.id AND v.set_id = ?
      WHERE x.document_id IS NULL`,
    setId,
  );
  const { total = 0, vectors = 0, refused = 0 } = counts ?? {};
  return { embedded: vectors - refused, refused, total };
}
