import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import {
  compareToBaseline,
  type Evaluation,
  EvaluationError,
  parseBaseline,
  updateBaseline,
} from "../../src/evaluation/mod.ts";

const REACHED: Evaluation = {
  set: "small",
  mode: "fts",
  model: undefined,
  documents: 5,
  queries: 3,
  skipped: 1,
  scores: { "ndcg@10": 0.5, map: 0.25, "recall@100": 0.75, "p@10": 0.1 },
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
    assertEquals(compareToBaseline([evaluation], BASELINE), { text, hasDropped }));
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
  assertEquals(Object.keys(parseBaseline(committed)).sort(), ["cacm", "cisi"]);
  const error = assertThrows(() => parseBaseline('{"cisi":{"fts":{}}}'), EvaluationError);
  assertMatch(error.message, /write it again with --update/);
});
