import { TopK } from "../../data_structures/mod.ts";
import { byScore, type ScoredChunk } from "./hits.ts";
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
  const top = (count: number): ScoredChunk[] => {
    const capacity = Math.min(count, ids.length);
    if (capacity === 0) return [];
    const times = Float64Array.from(ids, changedAt);
    const newest = new TopK(capacity);
    for (const [index, time] of times.entries()) newest.offer(index, time);
    const oldest = newest.threshold;
    // A time and a score in one number would be rounded, so that close scores of a document changed places.
    const found: (ScoredChunk & { readonly time: number })[] = [];
    for (const [index, time] of times.entries()) {
      if (time >= oldest) found.push({ id: ids[index] as number, score: scores[index] as number, time });
    }
    return found.sort((a, b) => b.time - a.time || byScore(a, b)).slice(0, capacity)
      .map(({ id, score }) => ({ id, score }));
  };
  return { total: ids.length, weak: ranking.weak, top, hits: () => ({ ids, scores }) };
}
