import type { Correction } from "./corrections.ts";
import { fuse, type TermEvidence } from "./fusion.ts";
import { type Hits, type ScoredChunk, topHits } from "./hits.ts";
import type { SearchMode } from "./plan.ts";
import type { VectorRanking } from "./vector_search.ts";

/** Result of ranking by terms. */
export interface TermRanking extends TermEvidence {
  /** Spelling corrections that the ranking includes. */
  readonly corrections: readonly Correction[];
}

/** Rankings of a search: by terms, by vectors, or both. */
export interface Rankings {
  readonly terms?: TermRanking | undefined;
  readonly vectors?: VectorRanking | undefined;
}

/** All results of a search, in an order that does not depend on the page size. */
export interface Ranking {
  /** Number of chunks. */
  readonly total: number;
  /** Returns the first `count` chunks in order. */
  top(count: number): ScoredChunk[];
  /** Returns all chunks in any order. */
  ids(): Iterable<number>;
}

/** Returns the mode in which a search has run, which depends on the rankings it has. */
export function executedMode({ terms, vectors }: Rankings): SearchMode {
  if (!vectors) return "fts";
  return terms ? "hybrid" : "vector";
}

/**
 * Combines the rankings of a search into one.
 *
 * @example
 * ```ts
 * import { combineRankings } from "./ranking.ts";
 * import { assertEquals } from "@std/assert";
 * const hits = { ids: Uint32Array.of(1, 2), scores: Float64Array.of(3, 5), weights: Float32Array.of(4, 4) };
 * const terms = { hits, queryWeight: 4, rareWeight: 4, corrections: [] };
 * const { total, top } = combineRankings({ terms });
 * assertEquals([total, top(1)], [2, [{ id: 2, score: 5 }]]);
 * ```
 */
export function combineRankings({ terms, vectors }: Rankings): Ranking {
  if (!vectors) return terms ? rankingOfHits(terms.hits) : EMPTY;
  if (!terms) return rankingOfVectors(vectors);
  // Without any vector, the similarities are unknown: the order is that of the full text.
  return rankingOfHits(vectors.hits.length > 0 ? fuse(terms, vectors) : terms.hits);
}

const EMPTY: Ranking = { total: 0, top: () => [], ids: () => [] };

/** Ranks hits by score. */
export function rankingOfHits(hits: Hits): Ranking {
  return { total: hits.ids.length, top: (count) => topHits(hits, count), ids: () => hits.ids };
}

/** Ranks by vectors. Contains only the first chunks of all that match. */
function rankingOfVectors({ hits, total }: VectorRanking): Ranking {
  return { total, top: (count) => hits.slice(0, count), ids: () => hits.map(({ id }) => id) };
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
  for (const id of ranking.ids()) if (isWithinLimit(id, counts)) total++;
  const top = (count: number): ScoredChunk[] => {
    for (let fetched = count * 4;; fetched *= 4) {
      const candidates = ranking.top(fetched);
      const seen = new Map<number, number>();
      const kept = candidates.filter(({ id }) => isWithinLimit(id, seen));
      if (kept.length >= count || candidates.length < fetched) return kept.slice(0, count);
    }
  };
  return { total, top, ids: () => top(total).map(({ id }) => id) };
}
