import { assert, assertEquals } from "@std/assert";
import { meanScores, METRICS, scoreRanking } from "../../src/evaluation/metrics.ts";

/** Judgements in which `r1 … rn` are the relevant documents. */
function judgements(...relevances: number[]): Map<string, number> {
  return new Map(relevances.map((relevance, index) => [`r${index + 1}`, relevance]));
}

const others = (count: number) => Array.from({ length: count }, (_, index) => `x${index}`);

// Computed by hand from the definitions: 1/log2(2) = 1, 1/log2(3) = 0.6309, 1/log2(4) = 0.5, 1/log2(5) =
// 0.4307.
const CASES: [
  name: string,
  ranking: string[],
  relevances: number[],
  expected: [ndcg: number, map: number, recall: number, p: number],
  first?: [mrr: number, recall1: number, recall5: number],
][] = [
  ["the only relevant document first", ["r1", "x"], [1], [1, 1, 1, 0.1], [1, 1, 1]],
  ["the only relevant document third", ["x", "y", "r1"], [1], [0.5, 1 / 3, 1, 0.1], [1 / 3, 0, 1]],
  ["nothing relevant", ["x", "y"], [1, 1], [0, 0, 0, 0], [0, 0, 0]],
  ["no results", [], [1], [0, 0, 0, 0]],
  ["two of three, at 1 and 3", ["r1", "x", "r2"], [1, 1, 1], [
    1.5 / 2.1309,
    (1 + 2 / 3) / 3,
    2 / 3,
    0.2,
  ], [1, 1 / 3, 2 / 3]],
  ["linear gains: 3 at rank 2 of an ideal 3, 1", ["r2", "r1"], [3, 1], [
    (1 + 3 * 0.6309) / (3 + 0.6309),
    1,
    1,
    0.2,
  ]],
  ["relevance 0 and below counts as not relevant", ["r2", "r3", "r1"], [1, 0, -1], [0.5, 1 / 3, 1, 0.1]],
  ["rank 11 is beyond nDCG and precision at 10", [...others(10), "r1"], [1], [0, 1 / 11, 1, 0], [
    1 / 11,
    0,
    0,
  ]],
  ["rank 101 is beyond recall and MAP", [...others(100), "r1"], [1], [0, 0, 0, 0], [0, 0, 0]],
];

for (const [name, ranking, relevances, [ndcg, map, recall, p], first] of CASES) {
  Deno.test(`scoreRanking: ${name}`, () => {
    const scores = scoreRanking(ranking, judgements(...relevances));
    const [mrr, recall1, recall5] = first ?? [];
    const expected = {
      "ndcg@10": ndcg,
      map,
      mrr,
      "recall@1": recall1,
      "recall@5": recall5,
      "recall@100": recall,
      "p@10": p,
    };
    for (const metric of METRICS) {
      const value = expected[metric];
      if (value === undefined) continue;
      assert(Math.abs(scores[metric] - value) < 1e-4, `${metric}: ${scores[metric]}, not ${value}`);
    }
  });
}

Deno.test("scoreRanking: the ideal ranking has at most ten documents", () => {
  const many = judgements(...Array.from({ length: 15 }, () => 1));
  assertEquals(scoreRanking([...many.keys()].slice(0, 10), many)["ndcg@10"], 1);
});

Deno.test("meanScores: every query has the same weight", () => {
  const one = scoreRanking(["r1"], judgements(1));
  const none = scoreRanking([], judgements(1));
  assertEquals(meanScores([one, none]), {
    "ndcg@10": 0.5,
    map: 0.5,
    mrr: 0.5,
    "recall@1": 0.5,
    "recall@5": 0.5,
    "recall@100": 0.5,
    "p@10": 0.05,
  });
});
