/** Cutoff of a ranking for recall and average precision. */
export const RANKING_DEPTH = 100;
/** Cutoff for nDCG and precision. */
const TOP_DEPTH = 10;

/** The metrics, in the order of the table. */
export const METRICS = ["ndcg@10", "map", "mrr", "recall@1", "recall@5", "recall@100", "p@10"] as const;
/** One of {@linkcode METRICS}. */
export type Metric = (typeof METRICS)[number];
/** A value from 0 to 1 for each metric. */
export type Scores = Readonly<Record<Metric, number>>;

/** Relevance of the judged documents of a query, by document key. 0 and less: not relevant. */
export type Judgements = ReadonlyMap<string, number>;

/**
 * Scores the ranking of one query.
 *
 * The definitions are those of trec_eval (`ndcg_cut_10`, `map`, `recip_rank`, `recall_1`, `P_10`), so that scores
 * are comparable with published ones: the gain of a document is its relevance (not 2^relevance − 1), the discount
 * is log2(rank + 1), the ideal ranking contains every judged document, and a document without a judgement is
 * not relevant. nDCG: Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques", TOIS
 * 20(4), 2002. Average precision and reciprocal
 * rank (MRR is their mean) are cut at {@linkcode RANKING_DEPTH} documents; trec_eval uses up to 1000.
 *
 * @param ranking Distinct document keys, highest score first.
 * @param judgements At least one document must be relevant.
 *
 * @example
 * ```ts
 * import { scoreRanking } from "./metrics.ts";
 * import { assertEquals } from "@std/assert";
 * const scores = scoreRanking(["b", "a"], new Map([["a", 1]]));
 * assertEquals(scores["ndcg@10"], 1 / Math.log2(3));
 * assertEquals([scores.map, scores.mrr, scores["recall@1"], scores["recall@5"]], [0.5, 0.5, 0, 1]);
 * ```
 */
export function scoreRanking(ranking: readonly string[], judgements: Judgements): Scores {
  const gains = ranking.slice(0, RANKING_DEPTH).map((key) => Math.max(0, judgements.get(key) ?? 0));
  const ideal = [...judgements.values()].filter((gain) => gain > 0).sort((a, b) => b - a);
  let found = 0;
  let precisions = 0;
  for (const [index, gain] of gains.entries()) {
    if (gain > 0) precisions += ++found / (index + 1);
  }
  const foundIn = (depth: number) => gains.slice(0, depth).filter((gain) => gain > 0).length;
  const first = gains.findIndex((gain) => gain > 0);
  return {
    "ndcg@10": discounted(gains) / discounted(ideal),
    map: precisions / ideal.length,
    mrr: first === -1 ? 0 : 1 / (first + 1),
    "recall@1": foundIn(1) / ideal.length,
    "recall@5": foundIn(5) / ideal.length,
    "recall@100": found / ideal.length,
    "p@10": foundIn(TOP_DEPTH) / TOP_DEPTH,
  };
}

/** Returns the mean of each metric over the queries. */
export function meanScores(scores: readonly Scores[]): Scores {
  const of = (metric: Metric) => scores.reduce((sum, each) => sum + each[metric], 0) / scores.length;
  return Object.fromEntries(METRICS.map((metric) => [metric, of(metric)])) as Record<Metric, number>;
}

function discounted(gains: readonly number[]): number {
  return gains.slice(0, TOP_DEPTH).reduce((sum, gain, index) => sum + gain / Math.log2(index + 2), 0);
}
