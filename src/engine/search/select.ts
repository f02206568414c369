import { TopK } from "../../data_structures/mod.ts";

/** Matching chunks with their scores, each chunk once, in no particular order. */
export interface Hits {
  /** Ids of chunks. */
  readonly ids: Uint32Array;
  /** The score of each. */
  readonly scores: Float64Array;
}

/** A chunk and its score. */
export interface Scored {
  readonly id: number;
  readonly score: number;
}

/**
 * The `count` best, best first; of equal ones the one with the smaller id.
 */
export function best(hits: Hits, count: number): Scored[] {
  const kept = Math.min(count, hits.ids.length);
  if (kept === 0) return [];
  const found = new TopK(kept);
  for (let i = 0; i < hits.ids.length; i++) found.offer(hits.ids[i] as number, hits.scores[i] as number);
  const { ids, scores } = found.ranked();
  return Array.from(ids, (id, at) => ({ id, score: scores[at] as number }));
}

/** TopK first; of equal ones the one with the smaller id. */
export function byScore(a: Scored, b: Scored): number {
  return b.score - a.score || a.id - b.id;
}
