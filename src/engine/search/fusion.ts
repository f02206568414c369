import { sortedIndexOf } from "../../data_structures/mod.ts";
import { FusedHits } from "./fused_hits.ts";
import type { Hits, ScoredChunk, TermHits } from "./hits.ts";

/*
 * Hybrid ranking adds scores, not ranks (Bruch, Gai & Ingber, "An Analysis of Fusion Functions for Hybrid
 * Retrieval", TOIS 2023): a rank does not tell a chunk that matches the whole query from one that is merely
 * the first with a common word of it. The constants are from cross-validation on four test collections:
 * docs/evaluation.md.
 */

/**
 * Number of rare terms that are full evidence. A long question has words that no relevant chunk contains, so
 * a chunk need not match all of it.
 */
const SUFFICIENT_RARE_TERMS = 2.5;
/**
 * Spread of the similarities of typical documents with the model that the constants were chosen with. Within
 * this range it depends on the documents; beyond it, on the model.
 */
const TYPICAL_SPREAD = [0.08, 0.15] as const;
/** Similarity to expect of a chunk with the whole query, between an unremarkable one (0) and the highest (1). */
const EXPECTED_SIMILARITY = 0.5;

/** Ranking by terms, as {@linkcode fuse} needs it. */
export interface TermEvidence {
  readonly hits: TermHits;
  /** Sum of the weights of all terms of the query, including those that no chunk contains. */
  readonly queryWeight: number;
  /** Weight of a term that a single chunk contains. */
  readonly rareWeight: number;
  /** The first chunks if vectors were compared with the query: one without a known similarity has no vector. */
  readonly compared?: readonly number[] | undefined;
}

/** Ranking by vectors, as {@linkcode fuse} needs it. */
export interface VectorEvidence {
  /** The most similar chunks, in order. */
  readonly hits: readonly ScoredChunk[];
  /** Similarity of other chunks, as far as known. */
  readonly others: readonly ScoredChunk[];
  /** Number of chunks that have been compared. */
  readonly total: number;
  /** Standard deviation of the similarities of stored chunks. Undefined: unknown. */
  readonly spread: number | undefined;
}

/**
 * Fuses a ranking by terms with one by vectors: score = similarity + term score.
 *
 * - The term score is BM25 times a power of the coverage, the share of the query that the chunk matches.
 *   A stray match of one word of a question hardly counts against the meaning; a match of the whole query
 *   outweighs it, with a bonus.
 * - BM25 is divided by the square root of its maximum for the query. Divided by the maximum itself, long
 *   questions would lose, since no chunk contains most of their words; undivided, keywords would lose against
 *   the similarity.
 * - Similarities of a model with a much smaller or larger spread are scaled.
 * - A chunk whose similarity is unknown gets an unremarkable one: that of the last hit if there are others
 *   below it; otherwise the chunk has no vector yet, and gets the median.
 * - The first chunks by terms without a vector get more, by the square of the share of the query that they match: those
 *   with all words would come after chunks that are merely similar.
 *
 * @returns The chunks of both rankings, each once, in any order.
 *
 * @example
 * ```ts
 * import { fuse } from "./fusion.ts";
 * import { assert } from "@std/assert";
 * const hits = { ids: Uint32Array.of(7), scores: Float64Array.of(5), weights: Float32Array.of(4) };
 * const vectors = { hits: [{ id: 8, score: 0.5 }, { id: 7, score: 0.1 }], others: [], total: 2, spread: 0.1 };
 * const [ofStrayMatch = 1, ofSimilar = 0] = fuse({ hits, queryWeight: 16, rareWeight: 7 }, vectors).scores;
 * assert(ofStrayMatch < ofSimilar);
 * ```
 */
export function fuse(terms: TermEvidence, vectors: VectorEvidence): Hits {
  const factor = similarityFactor(vectors.spread);
  const similarities = new Map(
    [...vectors.hits, ...vectors.others].map(({ id, score }) => [id, factor * score]),
  );
  const { length } = vectors.hits;
  const unknown = factor * (vectors.hits[length < vectors.total ? length - 1 : length >> 1]?.score ?? 0);
  const { hits, queryWeight, compared = [] } = terms;
  const best = factor * (vectors.hits[0]?.score ?? 0);
  for (const id of compared) {
    if (similarities.has(id)) continue;
    const share = Math.min(1, weightOf(id, hits) / queryWeight);
    similarities.set(id, unknown + EXPECTED_SIMILARITY * share * share * (best - unknown));
  }
  return new FusedHits({
    hits,
    queryWeight,
    sufficientWeight: sufficientWeight(terms),
    similarities,
    unknown,
  });
}

function weightOf(id: number, { ids, weights }: TermHits): number {
  return weights[sortedIndexOf(ids, id) ?? -1] ?? 0;
}

/** Returns the share of a query's evidence that a chunk with terms of a total weight has, from 0 to 1. */
export function evidenceShare(
  terms: Pick<TermEvidence, "queryWeight" | "rareWeight">,
  weight: number,
): number {
  return Math.min(1, weight / sufficientWeight(terms));
}

function sufficientWeight(
  { queryWeight, rareWeight }: Pick<TermEvidence, "queryWeight" | "rareWeight">,
): number {
  return Math.min(queryWeight, SUFFICIENT_RARE_TERMS * rareWeight);
}

/** Returns the factor that brings similarities of a spread to the nearest typical one. */
function similarityFactor(spread: number | undefined): number {
  if (!spread) return 1;
  const [low, high] = TYPICAL_SPREAD;
  return Math.min(high, Math.max(low, spread)) / spread;
}
