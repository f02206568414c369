import type { Bitset } from "../../data_structures/mod.ts";
import type { ScoredChunk } from "./hits.ts";
import type { SearchPlan } from "./plan.ts";

/** Search by vectors: the embedding model and the stored vectors. */
export interface VectorSearch {
  /**
   * Embeds a query.
   *
   * @param signal Aborts the request to the embedding model.
   * @returns A function that ranks chunks, or the reason why vectors are unavailable now.
   */
  embed(query: string, signal?: AbortSignal): Promise<VectorRanker | VectorsUnavailable>;
  /** Returns the number of chunks that have a vector. */
  embedded(): number;
}

/**
 * Ranks chunks by their similarity to a query.
 *
 * @param limit Maximum number of hits.
 * @param allowed Chunks to rank. Undefined: all.
 */
export type VectorRanker = (
  limit: number,
  allowed: Bitset | undefined,
) => Promise<VectorRanking | VectorsUnavailable>;

/** Result of ranking by vectors. */
export interface VectorRanking {
  /** The most similar chunks, in order. */
  readonly hits: readonly ScoredChunk[];
  /** Number of allowed chunks that have a vector. */
  readonly total: number;
}

/** Vectors are unavailable, so that a search falls back to full text. */
export interface VectorsUnavailable {
  /** Explanation for the user. */
  readonly warning: string;
}

/** Number of vector results that a hybrid search fuses. */
const HYBRID_LIMIT = 100;
/** Number of vector results from which a limit per document selects. */
const PER_DOCUMENT_LIMIT = 1000;

/**
 * Returns the number of vector results that a search needs.
 *
 * @param chunks Number of stored chunks. Bounds the result, since a cursor may contain any offset.
 */
export function vectorLimit({ mode, offset, request }: SearchPlan, chunks: number): number {
  if (mode === "hybrid") return HYBRID_LIMIT;
  const minLimit = request.per_document === undefined ? 0 : PER_DOCUMENT_LIMIT;
  return Math.min(Math.max(offset + request.top, minLimit), chunks + PER_DOCUMENT_LIMIT);
}
