import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import {
  compareModes,
  compareToBaseline,
  type Evaluation,
  EvaluationError,
  formatComparisons,
  formatJson,
  parseBaseline,
  updateBaseline,
} from "../../src/evaluation/mod.ts";

const REACHED: Evaluation = {
  set: "small",
  mode: "fts",
  model: undefined,
  documents: 5,
  emptyDocuments: 0,
  queries: 3,
  skipped: 1,
  scores: {
    "ndcg@10": 0.5,
    map: 0.25,
    mrr: 0.5,
    "recall@1": 0.2,
    "recall@5": 0.6,
    "recall@100": 0.75,
    "p@10": 0.1,
  },
  languages: [],
  latency: { p50: 1, p95: 2, p99: 3 },
  warnings: { count: 0, first: undefined },
  perQuery: [],
};
const BASELINE = updateBaseline({}, [REACHED]);

function scored(change: Partial<Evaluation["scores"]>): Evaluation {
  return { ...REACHED, scores: { ...REACHED.scores, ...change } };
}

const CASES: [name: string, evaluation: Evaluation, text: string, hasDropped: boolean][] = [
  ["the same", REACHED, "small fts: same as the baseline", false],
  ["a gain", scored({ map: 0.3 }), "small fts: map 0.2500 → 0.3000", false],
  ["a loss of 0.002", scored({ map: 0.248 }), "small fts: map 0.2500 → 0.2480", false],
  ["a loss of more", scored({ map: 0.2479 }), "small fts: map 0.2500 → 0.2479, DROPPED", true],
  [
    "a gain that does not make up for a loss",
    scored({ "ndcg@10": 0.6, "p@10": 0.05 }),
    "small fts: ndcg@10 0.5000 → 0.6000; p@10 0.1000 → 0.0500, DROPPED",
    true,
  ],
  ["another set", { ...REACHED, set: "large" }, "large fts: not in the baseline", false],
  [
    "another model",
    { ...REACHED, mode: "hybrid", model: "m" },
    "small hybrid m: not in the baseline",
    false,
  ],
  [
    "other data under the same name",
    { ...REACHED, documents: 6, scores: { ...REACHED.scores, map: 0 } },
    "small fts: the baseline was measured on other data (5 documents, 3 queries)",
    false,
  ],
];

for (const [name, evaluation, text, hasDropped] of CASES) {
  Deno.test(`compareToBaseline: ${name}`, () =>
    assertEquals(compareToBaseline([evaluation], BASELINE), { text, hasDropped, differences: [] }));
}

Deno.test("updateBaseline keeps the entries of other collections and modes", () => {
  const hybrid = { ...scored({ map: 0.4 }), mode: "hybrid", model: "m" };
  const next = updateBaseline(BASELINE, [hybrid]);
  assertEquals(Object.keys(next["small"] ?? {}), ["fts", "hybrid m"]);
  assertEquals(next["small"]?.["hybrid m"]?.map, 0.4);
  assertEquals(Object.keys(BASELINE["small"] ?? {}), ["fts"]);
});

Deno.test("the committed baseline is valid, and invalid text is rejected with a hint", async () => {
  const committed = await Deno.readTextFile(new URL("./baseline.json", import.meta.url));
  assertEquals(Object.keys(parseBaseline(committed)).sort(), [
    "cacm",
    "cisi",
    "code",
    "dialogue",
    "paraphrases",
  ]);
  const error = assertThrows(() => parseBaseline('{"cisi":{"fts":{}}}'), EvaluationError);
  assertMatch(error.message, /write it again with --update/);
});

Deno.test("a baseline without the newer metrics can be read", () => {
  const old = { documents: 5, queries: 3, "ndcg@10": 0.5, map: 0.2, "recall@100": 0.75, "p@10": 0.1 };
  const baseline = parseBaseline(JSON.stringify({ small: { fts: old } }));
  assertEquals(compareToBaseline([REACHED], baseline).text, "small fts: map 0.2000 → 0.2500");
});

Deno.test("a metric below its minimum is a failure, which no tolerance and no update removes", () => {
  const baseline = parseBaseline(
    JSON.stringify({ small: { fts: { ...BASELINE["small"]?.["fts"], minimum: { "ndcg@10": 0.501 } } } }),
  );
  const updated = updateBaseline(baseline, [scored({ "ndcg@10": 0.5 })]);
  assertEquals(compareToBaseline([REACHED], updated), {
    text: "small fts: ndcg@10 0.5000 → 0.5000, BELOW THE MINIMUM 0.501",
    hasDropped: true,
    differences: [],
  });
  assertEquals(compareToBaseline([scored({ "ndcg@10": 0.501 })], updated).hasDropped, false);
});

/** An evaluation with these values of nDCG@10, for queries 1, 2, … */
function run(mode: string, ndcg: readonly number[]): Evaluation {
  const perQuery = ndcg.map((value, index) => ({
    id: String(index + 1),
    text: "?",
    language: undefined,
    scores: { ...REACHED.scores, "ndcg@10": value },
  }));
  return { ...REACHED, mode, perQuery };
}

Deno.test("the results of an earlier run serve as a baseline with paired comparisons", () => {
  const baseline = parseBaseline(
    formatJson([{ ...run("fts", [0.5, 0.5, 0.5]), scores: { ...REACHED.scores, map: 0.25001 } }]),
  );
  const { text, differences } = compareToBaseline([run("fts", [0.9, 0.4, 0.5])], baseline);
  assertEquals(text, "small fts: same as the baseline");
  assertEquals(
    differences.map((
      { after, before, mean, wins, losses, ties },
    ) => [after, before, mean.toFixed(4), wins, losses, ties]),
    [["fts", "baseline", "0.1000", 1, 1, 1]],
  );
});

Deno.test("every mode is compared with the earlier modes of its collection", () => {
  const modes = [run("fts", [0, 1]), run("vector", [1, 1]), run("hybrid", [1, 1]), {
    ...run("fts", [0]),
    set: "x",
  }];
  const comparisons = compareModes(modes);
  assertEquals(
    comparisons.map(({ after, before }) => `${after} vs ${before}`),
    ["vector vs fts", "hybrid vs fts", "hybrid vs vector"],
  );
  const [head, row] = formatComparisons(comparisons).split("\n").map((line) => line.replaceAll(/ +/g, " "));
  assertEquals(head, "set ndcg@10 difference std error wins losses ties p");
  assertEquals(row, "small vector vs fts +0.5000 0.5000 1 0 1 1.0000");
  assertEquals(formatComparisons([]), "");
});
