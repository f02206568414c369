import { byScore, type Scored } from "./select.ts";

/**
 * Weights of reciprocal rank fusion, by ablation on two collections: docs/evaluation.md.
 */
export const FUSION = {
  /** How slowly the worth of a rank falls. */
  k: 30,
  fts: 1,
  vector: 0.6,
} as const;

/**
 * Weighted reciprocal rank fusion (Cormack, Clarke & Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank
 * Learning Methods", SIGIR 2009): a chunk is worth weight / (k + rank) for each ranking that has it. Only ranks count, so that scores
 * of different kinds need not be made comparable.
 *
 * @param fts Best first.
 * @param vector Best first.
 * @returns All of both, best first. Scores are shares of the best possible one: 1 is first in both.
 *
 * @example
 * ```ts
 * import { fuse } from "./fusion.ts";
 * import { assertEquals } from "@std/assert";
 * const fused = fuse([{ id: 7, score: 12.1 }, { id: 8, score: 3 }], [{ id: 8, score: 0.9 }, { id: 9, score: 0.8 }]);
 * assertEquals(fused.map(({ id }) => id), [8, 7, 9]);
 * ```
 */
export function fuse(fts: readonly Scored[], vector: readonly Scored[]): Scored[] {
  const scores = new Map<number, number>();
  const add = (ranking: readonly Scored[], weight: number) => {
    for (const [index, { id }] of ranking.entries()) {
      scores.set(id, (scores.get(id) ?? 0) + worth(weight, index + 1));
    }
  };
  add(fts, FUSION.fts);
  add(vector, FUSION.vector);
  return [...scores].map(([id, score]) => ({ id, score })).sort(byScore);
}

/** What a rank (from 1) in a ranking of this weight is worth, as a share of the best possible score. */
export function worth(weight: number, rank: number): number {
  const { k, fts, vector } = FUSION;
  return weight / (k + rank) / ((fts + vector) / (k + 1));
}
