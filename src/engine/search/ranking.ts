import type { Correction } from "./corrections.ts";
import { evidenceShare, fuse, type TermEvidence } from "./fusion.ts";
import { countBelow, type Hits, type ScoredChunk, topHits } from "./hits.ts";
import type { SearchMode } from "./plan.ts";
import { similarityFloor, termFloor } from "./relevance_floor.ts";
import type { VectorRanking } from "./vector_search.ts";

/** Result of ranking by terms. */
export interface TermRanking extends TermEvidence {
  /** Spelling corrections that the ranking includes. */
  readonly corrections: readonly Correction[];
  /** Words of the query that no text contains, and that the caller may believe to be found. */
  readonly unknownWords?: readonly string[];
  /** The first hits in order, if they are known. */
  readonly first?: readonly ScoredChunk[] | undefined;
  /** Explain what the ranking ignores. */
  readonly warnings?: readonly string[];
}

/** Rankings of a search: by terms, by vectors, or both. */
export interface Rankings {
  readonly terms?: TermRanking | undefined;
  readonly vectors?: VectorRanking | undefined;
}

/** All results of a search, in an order that does not depend on the page size. */
export interface Ranking {
  /** Number of chunks, without the weak ones. */
  readonly total: number;
  /** Number of chunks that are left out because they are far below the best one. */
  readonly weak: number;
  /** Returns the first `count` chunks in order. */
  top(count: number): ScoredChunk[];
  /** Returns all chunks in any order. */
  hits(): Hits;
}

/** Returns the mode in which a search has run, which depends on the rankings it has. */
export function executedMode({ terms, vectors }: Rankings): SearchMode {
  if (!vectors) return "fts";
  return terms ? "hybrid" : "vector";
}

/** Options of {@linkcode combineRankings}. */
export interface RankingOptions {
  /** Whether to keep chunks far below the best one. */
  readonly includeWeak?: boolean | undefined;
}

/**
 * Combines the rankings of a search into one, without the chunks that are far below the best one.
 *
 * @example
 * ```ts
 * import { combineRankings } from "./ranking.ts";
 * import { assertEquals } from "@std/assert";
 * const hits = { ids: Uint32Array.of(1, 2), scores: Float64Array.of(0.4, 5), weights: Float32Array.of(1, 4) };
 * const terms = { hits, queryWeight: 4, rareWeight: 4, corrections: [] };
 * const { total, weak, top } = combineRankings({ terms });
 * assertEquals([total, weak, top(10)], [1, 1, [{ id: 2, score: 5 }]]);
 * ```
 */
export function combineRankings(
  { terms, vectors }: Rankings,
  { includeWeak = false }: RankingOptions = {},
): Ranking {
  const floorOf = (floor: (best: ScoredChunk) => number) => includeWeak ? () => -Infinity : floor;
  const ofSimilarity = floorOf(({ score }) => similarityFloor(score));
  if (vectors && !terms) return rankingOfVectors(vectors, ofSimilarity);
  if (!terms) return EMPTY;
  // Without any vector, the similarities are unknown: the order is that of the full text.
  if (vectors && vectors.hits.length > 0) {
    return rankingOfHits(fuse(terms, vectors), { floorOf: ofSimilarity });
  }
  const coverage = ({ id }: ScoredChunk) =>
    evidenceShare(terms, terms.hits.weights[terms.hits.ids.indexOf(id)] ?? 0);
  return rankingOfHits(terms.hits, {
    floorOf: floorOf((best) => termFloor(best.score, { coverage: coverage(best) })),
    first: terms.first,
  });
}

const NO_HITS: Hits = { ids: new Uint32Array(), scores: new Float64Array() };
const EMPTY: Ranking = { total: 0, weak: 0, top: () => [], hits: () => NO_HITS };
/** Number of chunks that the first access sorts: more than a usual page needs. */
const FIRST_SORTED = 24;

/** Options of {@linkcode rankingOfHits}. */
export interface HitsRankingOptions {
  /** Returns the minimum score by the best chunk. @default {() => -Infinity} */
  readonly floorOf?: (best: ScoredChunk) => number;
  /** The first hits in order, if they are known. */
  readonly first?: readonly ScoredChunk[] | undefined;
}

/** Ranks hits by score. */
export function rankingOfHits(hits: Hits, { floorOf, first }: HitsRankingOptions = {}): Ranking {
  let sorted = first ?? topHits(hits, FIRST_SORTED);
  const [best] = sorted;
  if (!best) return EMPTY;
  const minScore = floorOf?.(best) ?? -Infinity;
  const weak = minScore > -Infinity ? countBelow(hits, minScore) : 0;
  const total = (hits.count ?? hits.ids.length) - weak;
  return {
    total,
    weak,
    top(count) {
      const end = Math.min(count, total);
      if (end > sorted.length) sorted = topHits(hits, end);
      return sorted.slice(0, end);
    },
    hits: () => weak === 0 ? hits : selectHits(hits, minScore),
  };
}

/**
 * Ranks by vectors. Contains only the first chunks of all that match; if none of them is weak, the total includes
 * those that are not known to be.
 */
function rankingOfVectors({ hits, total }: VectorRanking, floorOf: (best: ScoredChunk) => number): Ranking {
  const [best] = hits;
  if (!best) return EMPTY;
  const minScore = floorOf(best);
  const kept = hits.filter(({ score }) => score >= minScore);
  const strong = kept.length < hits.length ? kept.length : total;
  return {
    total: strong,
    weak: total - strong,
    top: (count) => kept.slice(0, count),
    hits: () => hitsOf(kept),
  };
}

function selectHits({ ids, scores }: Hits, minScore: number): Hits {
  const selected = ids.map((_, index) => index).filter((index) => (scores[index] as number) >= minScore);
  return {
    ids: selected.map((index) => ids[index] as number),
    scores: Float64Array.from(selected, (index) => scores[index] as number),
  };
}

function hitsOf(chunks: readonly ScoredChunk[]): Hits {
  return {
    ids: Uint32Array.from(chunks, ({ id }) => id),
    scores: Float64Array.from(chunks, ({ score }) => score),
  };
}

/** Keeps at most `limit` chunks of each document. */
export function limitPerDocument(
  ranking: Ranking,
  { limit, documentOf }: { readonly limit: number; readonly documentOf: (chunk: number) => number },
): Ranking {
  const isWithinLimit = (id: number, counts: Map<number, number>) => {
    const document = documentOf(id);
    const count = counts.get(document) ?? 0;
    counts.set(document, count + 1);
    return count < limit;
  };
  let total = 0;
  const counts = new Map<number, number>();
  for (const id of ranking.hits().ids) if (isWithinLimit(id, counts)) total++;
  const top = (count: number): ScoredChunk[] => {
    for (let fetched = count * 4;; fetched *= 4) {
      const candidates = ranking.top(fetched);
      const seen = new Map<number, number>();
      const kept = candidates.filter(({ id }) => isWithinLimit(id, seen));
      if (kept.length >= count || candidates.length < fetched) return kept.slice(0, count);
    }
  };
  return { total, weak: ranking.weak, top, hits: () => hitsOf(top(total)) };
}
