import { TopK } from "../../data_structures/mod.ts";
import type { ScoredChunk } from "./hits.ts";
import { type Ranking, rankingOfHits } from "./ranking.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** Age at which a recency of 1 halves a score. */
const HALF_LIFE_DAYS = 30;

/** Options of {@linkcode weighByRecency} and {@linkcode sortByRecency}. */
export interface RecencyOptions {
  /** Returns the time of the last change of a chunk's document, in milliseconds since 1970. */
  readonly changedAt: (chunk: number) => number;
}

/**
 * Lowers the scores of older documents: with a `recency` of 1 by half every 30 days, with 0 not at all.
 *
 * The age is relative to the last change of all, not to the clock, so that a cursor does not shift.
 *
 * @param options.newest Time of the last change of all documents, in milliseconds since 1970.
 */
export function weighByRecency(
  ranking: Ranking,
  { changedAt, recency, newest }: RecencyOptions & { readonly recency: number; readonly newest: number },
): Ranking {
  const { ids, scores } = ranking.hits();
  const weighted = scores.map((score, index) => {
    const days = Math.max(0, newest - changedAt(ids[index] as number)) / DAY_MS;
    const factor = 1 - recency + recency * 2 ** (-days / HALF_LIFE_DAYS);
    // A lower factor raises a negative similarity.
    return score > 0 ? score * factor : score;
  });
  return { ...rankingOfHits({ ids, scores: weighted }), weak: ranking.weak };
}

/** Sorts by the last change of the document, newest first, and the chunks of a document by score. */
export function sortByRecency(ranking: Ranking, { changedAt }: RecencyOptions): Ranking {
  const { ids, scores } = ranking.hits();
  const best = scores.reduce((max, score) => Math.max(max, Math.abs(score)), 1);
  const top = (count: number): ScoredChunk[] => {
    const capacity = Math.min(count, ids.length);
    if (capacity === 0) return [];
    const newest = new TopK(capacity);
    // Times are whole milliseconds, so that the score decides within one.
    for (const [index, id] of ids.entries()) {
      newest.offer(index, changedAt(id) + (scores[index] as number) / best / 2);
    }
    return Array.from(newest.ranked().ids, (index) => ({
      id: ids[index] as number,
      score: scores[index] as number,
    }));
  };
  return { total: ids.length, weak: ranking.weak, top, hits: () => ({ ids, scores }) };
}
