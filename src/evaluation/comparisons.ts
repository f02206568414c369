import type { Evaluation } from "./evaluate.ts";
import { type PairedDifference, pairedDifference } from "./significance.ts";

/** A paired comparison of two runs over the queries of a test collection. */
export interface RunComparison extends PairedDifference {
  /** Name of the test collection. */
  readonly set: string;
  /** The compared runs: search modes, or a mode and `baseline`. */
  readonly after: string;
  readonly before: string;
  readonly metric: "ndcg@10";
}

/** Compares each search mode with the earlier ones of the same test collection, in nDCG@10. */
export function compareModes(evaluations: readonly Evaluation[]): RunComparison[] {
  return evaluations.flatMap((after, index) =>
    evaluations.slice(0, index)
      .filter(({ set }) => set === after.set)
      .flatMap((before) => compareRuns(after, ndcgByQuery(before), before.mode))
  );
}

/** Compares an evaluation with the nDCG@10 by query of an earlier run; empty when they share no query. */
export function compareRuns(
  evaluation: Evaluation,
  before: ReadonlyMap<string, number>,
  name: string,
): RunComparison[] {
  const difference = pairedDifference(before, ndcgByQuery(evaluation));
  const { set, mode } = evaluation;
  return difference ? [{ set, after: mode, before: name, metric: "ndcg@10", ...difference }] : [];
}

/** Returns the nDCG@10 of each query. */
export function ndcgByQuery({ perQuery }: Evaluation): Map<string, number> {
  return new Map(perQuery.map(({ id, scores }) => [id, scores["ndcg@10"]]));
}
