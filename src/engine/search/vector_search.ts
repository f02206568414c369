import type { Bitset } from "../../data_structures/mod.ts";
import { type Hits, type ScoredChunk, topHits } from "./hits.ts";
import type { SearchPlan } from "./plan.ts";

/** Search by vectors: the embedding model and the stored vectors. */
export interface VectorSearch {
  /**
   * Begins to embed a query.
   *
   * @param signal Aborts the request to the embedding model.
   * @returns A function that ranks chunks as soon as the query is embedded.
   */
  embed(query: string, signal?: AbortSignal): VectorRanker;
  /**
   * Embeds a note to compare it with others.
   *
   * @returns Undefined if the model has no known scale of similarity, is busy with an import, or does not respond at
   * once. A comparison is not important enough to wait for it.
   */
  embedNote(text: string, signal?: AbortSignal): Promise<VectorRanker | undefined>;
  /** Returns the number of chunks that have a vector. */
  embedded(): number;
  /** Returns the number of chunks that get no vector, because the model rejects their text. */
  refused(): number;
}

/** Ranks chunks by their similarity to a query, or returns the reason why vectors are unavailable now. */
export type VectorRanker = (request: VectorRankingRequest) => Promise<VectorRanking | VectorsUnavailable>;

/** Request to a {@linkcode VectorRanker}. */
export interface VectorRankingRequest {
  /** Maximum number of hits. */
  readonly limit: number;
  /** Chunks to rank. Undefined: all. */
  readonly allowed: Bitset | undefined;
  /**
   * Chunks whose similarity is of interest even if they are not among the hits. A promise, if they are unknown yet: the
   * ranking begins before.
   */
  readonly others: readonly number[] | Promise<readonly number[]>;
  /** Where another thread waits for the hits, which are returned, too. */
  readonly shared?: SharedRankingTarget | undefined;
}

/** Memory in which a thread waits for a ranking. */
export interface SharedRankingTarget {
  readonly memory: SharedArrayBuffer;
  /** Id of the ranking, an integer of 32 bits other than 0. */
  readonly id: number;
}

/** Result of ranking by vectors. */
export interface VectorRanking {
  /** The most similar chunks, in order. */
  readonly hits: readonly ScoredChunk[];
  /** The requested others that are not among the hits, but have a vector; in any order. */
  readonly others: readonly ScoredChunk[];
  /** Standard deviation of the similarities of stored chunks. Undefined: unknown. */
  readonly spread: number | undefined;
  /** Number of allowed chunks that have a vector. */
  readonly total: number;
  /** The query, for the similarity of further chunks. Undefined without stored vectors. */
  readonly query?: StoredVectorQuery | undefined;
}

/** A query of stored vectors. */
export interface StoredVectorQuery {
  readonly vector: Float32Array;
  /** Id of the set of vectors. */
  readonly setId: number;
}

/** Vectors are unavailable, so that a search falls back to full text. */
export interface VectorsUnavailable {
  /** Explanation for the user. */
  readonly warning: string;
}

/** Number of vector results that a hybrid search fuses. */
const HYBRID_LIMIT = 100;
/** Number of full-text results whose similarity a hybrid search looks up. */
const HYBRID_OTHERS = 50;
/** Number of vector results from which the time or a limit per document selects. */
const SELECTION_LIMIT = 1000;

/** Returns the full-text results that are ranked by vectors, too, however low. */
export function othersToCompare(hits: Hits): number[] {
  return topHits(hits, HYBRID_OTHERS).map(({ id }) => id);
}

/**
 * Returns the number of vector results that a search needs.
 *
 * @param chunks Number of stored chunks. Bounds the result, since a cursor may contain any offset.
 */
export function vectorLimit(
  { mode, offset, request }: Pick<SearchPlan, "mode" | "offset" | "request">,
  chunks: number,
): number {
  if (mode === "hybrid") return HYBRID_LIMIT;
  const isSelection = request.per_document !== undefined || request.sort === "recent" ||
    (request.recency ?? 0) > 0;
  const minLimit = isSelection ? SELECTION_LIMIT : HYBRID_LIMIT;
  // Passages with the same text become one result.
  return Math.min(Math.max(2 * (offset + request.top), minLimit), chunks + SELECTION_LIMIT);
}
