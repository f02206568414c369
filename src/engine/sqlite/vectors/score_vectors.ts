import type { DatabaseSync } from "node:sqlite";
import { all, first, float32VectorBytes, storedDotProduct, storedVectorBytes } from "../store/read_only.ts";
import { storedDotProducts } from "./stored_dot_products.ts";

/** Vectors to score. */
export type WantedVectors =
  /** By sequence number. */
  | { readonly seqs: ArrayLike<number> }
  /** By chunk, those of a set. */
  | { readonly chunks: ArrayLike<number>; readonly setId: number };

/** Stored vectors that are read before the query is known. */
export interface ReadVectors {
  /** Id of their set. */
  readonly setId: number;
  readonly dimensions: number;
  /** Chunk of each vector. */
  readonly chunks: readonly number[];
  /** The vectors, which follow each other. */
  readonly vectors: Uint8Array;
}

/** Maximum size of the vectors that one statement returns, in bytes. */
const MAX_BYTES = 2 ** 20;

/**
 * Scores stored vectors by their dot product with a query. Those that were deleted, or have other dimensions, are
 * omitted.
 *
 * @param offer Receives the id of the chunk and the score of each vector, in any order.
 */
export function scoreVectors(
  db: DatabaseSync,
  query: Float32Array,
  wanted: WantedVectors,
  offer: (chunkId: number, score: number) => void,
): void {
  const [ids, source, sets] = "seqs" in wanted
    ? [wanted.seqs, "v.seq = wanted.value", []] as const
    : [wanted.chunks, OF_CHUNKS, [wanted.setId]] as const;
  const bytes = storedVectorBytes(query.length);
  const step = Math.max(1, Math.floor(MAX_BYTES / bytes));
  for (let start = 0; start < ids.length; start += step) {
    const batch = Array.prototype.slice.call(ids, start, start + step) as number[];
    const params = [JSON.stringify(batch), ...sets];
    const { count, chunks, vectors } = concatenated(db, source, bytes, params);
    if (count > 0) {
      const scores = storedDotProducts(query, vectors!);
      for (const [at, chunk] of chunks!.split(",").entries()) offer(Number(chunk), scores[at]!);
    }
    if (count === batch.length) continue;
    // Those of older versions.
    const rows = all<VectorRow>(
      db,
      `SELECT v.chunk_id, v.vector ${from(source)}
        WHERE length(v.vector) = ${float32VectorBytes(query.length)}`,
      ...params,
    );
    for (const { chunk_id, vector } of rows) offer(chunk_id, storedDotProduct(query, vector));
  }
}

/** Reads the vectors of a few chunks that have one in the current form. */
export function readVectors(
  db: DatabaseSync,
  wanted: readonly number[],
  { setId, dimensions }: Pick<ReadVectors, "setId" | "dimensions">,
): ReadVectors {
  const params = [JSON.stringify(wanted), setId];
  const { chunks, vectors } = concatenated(db, OF_CHUNKS, storedVectorBytes(dimensions), params);
  return {
    setId,
    dimensions,
    chunks: chunks?.split(",").map(Number) ?? [],
    vectors: vectors ?? new Uint8Array(),
  };
}

const OF_CHUNKS = "v.chunk_id = wanted.value AND v.set_id = ?2";

function from(source: string): string {
  return `FROM json_each(?1) wanted CROSS JOIN chunk_vectors v ON ${source}`;
}

/**
 * Reads the vectors of a size as one row in place of hundreds, whose objects take longer than the rest of the query.
 * Aggregates of one query receive the rows in the same order, and concatenation keeps the bytes of blobs.
 */
function concatenated(
  db: DatabaseSync,
  source: string,
  bytes: number,
  params: readonly (string | number)[],
): ConcatenatedVectors {
  return first<ConcatenatedVectors>(
    db,
    `SELECT count(*) AS count, group_concat(v.chunk_id) AS chunks,
            CAST(group_concat(v.vector, '') AS BLOB) AS vectors
       ${from(source)} WHERE length(v.vector) = ${bytes}`,
    ...params,
  )!;
}

interface ConcatenatedVectors {
  readonly count: number;
  readonly chunks: string | null;
  readonly vectors: Uint8Array<ArrayBuffer> | null;
}

interface VectorRow {
  readonly chunk_id: number;
  readonly vector: Uint8Array<ArrayBuffer>;
}
