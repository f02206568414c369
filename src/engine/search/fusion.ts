import { byScore, type ScoredChunk } from "./hits.ts";

/**
 * Constants of reciprocal rank fusion, from an ablation on two test collections: docs/evaluation.md.
 */
export const FUSION = {
  /** Rank constant: with a larger one, scores fall more slowly with the rank. */
  k: 30,
  /** Weight of the full-text ranking. */
  fts: 1,
  /** Weight of the vector ranking. */
  vector: 0.6,
} as const;

/**
 * Weighted reciprocal rank fusion (Cormack, Clarke & Büttcher, "Reciprocal Rank Fusion outperforms Condorcet
 * and individual Rank Learning Methods", SIGIR 2009): each ranking adds weight / (k + rank) to the score of a
 * chunk. Only ranks count, because scores of different rankings are not comparable.
 *
 * @param fts Full-text ranking.
 * @param vector Vector ranking.
 * @returns The chunks of both rankings, ordered by score. A chunk that is first in both has the maximum score
 * of 1.
 *
 * @example
 * ```ts
 * import { fuse } from "./fusion.ts";
 * import { assertEquals } from "@std/assert";
 * const fused = fuse([{ id: 7, score: 12.1 }, { id: 8, score: 3 }], [{ id: 8, score: 0.9 }, { id: 9, score: 0.8 }]);
 * assertEquals(fused.map(({ id }) => id), [8, 7, 9]);
 * ```
 */
export function fuse(fts: readonly ScoredChunk[], vector: readonly ScoredChunk[]): ScoredChunk[] {
  const scores = new Map<number, number>();
  const add = (ranking: readonly ScoredChunk[], weight: number) => {
    for (const [index, { id }] of ranking.entries()) {
      scores.set(id, (scores.get(id) ?? 0) + reciprocalRankScore(index + 1, weight));
    }
  };
  add(fts, FUSION.fts);
  add(vector, FUSION.vector);
  return [...scores].map(([id, score]) => ({ id, score })).sort(byScore);
}

/** Returns the contribution of a rank (from 1) to the fused score. */
export function reciprocalRankScore(rank: number, weight: number): number {
  const { k, fts, vector } = FUSION;
  return weight / (k + rank) / ((fts + vector) / (k + 1));
}
