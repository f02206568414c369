import { TopK } from "../../data_structures/mod.ts";

/** Matching chunks with their scores, each chunk once, in any order. */
export interface Hits {
  /** Ids of the chunks. */
  readonly ids: Uint32Array;
  /** Score of each chunk. */
  readonly scores: Float64Array;
  /** Number of chunks. Unset: as many as ids, whose access takes no time. */
  readonly count?: number;
  /** Returns the same as {@linkcode topHits} without all scores, if the ranking can. */
  topHits?(count: number): ScoredChunk[];
  /** Returns the same as {@linkcode topIndexes}, if the store can. */
  topIndexes?(count: number): number[] | undefined;
  /** Returns the same as {@linkcode countBelow}, if the store can. */
  countBelow?(score: number): number | undefined;
}

/** Chunks that contain terms of a query, in the order of their ids. */
export interface TermHits extends Hits {
  /** Sum of the weights of the terms that each chunk contains: how much of the query it matches. */
  readonly weights: Float32Array;
}

/** A chunk and its score. */
export interface ScoredChunk {
  /** Id of the chunk. */
  readonly id: number;
  readonly score: number;
}

/**
 * Returns the `count` hits with the highest scores in the order of {@linkcode byScore}.
 *
 * @example
 * ```ts
 * import { topHits } from "./hits.ts";
 * import { assertEquals } from "@std/assert";
 * const hits = { ids: Uint32Array.of(4, 9, 7), scores: Float64Array.of(0.5, 2, 0.5) };
 * assertEquals(topHits(hits, 2), [{ id: 9, score: 2 }, { id: 4, score: 0.5 }]);
 * ```
 */
export function topHits(hits: Hits, count: number): ScoredChunk[] {
  const known = hits.topHits?.(count);
  if (known) return known;
  const { ids, scores } = hits;
  return topIndexes(hits, count).map((index) => ({
    id: ids[index] as number,
    score: scores[index] as number,
  }));
}

/** Returns the indexes of the hits that {@linkcode topHits} returns. */
export function topIndexes(hits: Hits, count: number): number[] {
  return hits.topIndexes?.(count) ?? selectTop(hits, count);
}

function selectTop({ ids, scores }: Hits, count: number): number[] {
  const capacity = Math.min(count, ids.length);
  if (capacity === 0) return [];
  const top = new TopK(capacity);
  const indexOf = new Map<number, number>();
  let { threshold } = top;
  for (let i = 0; i < ids.length; i++) {
    const score = scores[i] as number;
    // Most are below the threshold, so that a call for each would take most of the time.
    if (score < threshold) continue;
    const id = ids[i] as number;
    indexOf.set(id, i);
    top.offer(id, score);
    threshold = top.threshold;
  }
  return Array.from(top.ranked().ids, (id) => indexOf.get(id) as number);
}

/** Returns the number of hits below a score. */
export function countBelow(hits: Hits, score: number): number {
  const known = hits.countBelow?.(score);
  if (known !== undefined) return known;
  const { scores } = hits;
  let count = 0;
  for (let i = 0; i < scores.length; i++) if ((scores[i] as number) < score) count++;
  return count;
}

/** Compares chunks for sorting: the highest score first, then the smallest id. */
export function byScore(a: ScoredChunk, b: ScoredChunk): number {
  return b.score - a.score || a.id - b.id;
}
