import { assert, assertEquals } from "@std/assert";
import { fuse, type TermEvidence, type VectorEvidence } from "../../../src/engine/search/fusion.ts";
import { byScore, countBelow, topHits } from "../../../src/engine/search/hits.ts";
import { seededRandom } from "../../support/random.ts";

/** A chunk that matches terms: its BM25 score, and the weight of the terms that it contains. */
interface TermMatch {
  readonly id: number;
  readonly score: number;
  readonly weight: number;
}

function terms(unordered: readonly TermMatch[], queryWeight: number, rareWeight = 7): TermEvidence {
  const matches = unordered.toSorted((a, b) => a.id - b.id);
  const hits = {
    ids: Uint32Array.from(matches, ({ id }) => id),
    scores: Float64Array.from(matches, ({ score }) => score),
    weights: Float32Array.from(matches, ({ weight }) => weight),
  };
  return { hits, queryWeight, rareWeight };
}

/** Vectors of chunks by id, all compared and in order. */
function vectors(similarities: Readonly<Record<number, number>>): VectorEvidence {
  const hits = Object.entries(similarities).map(([id, score]) => ({ id: Number(id), score }))
    .sort((a, b) => b.score - a.score);
  return { hits, others: [], total: hits.length, spread: 0.1 };
}

function fusedScores(ofTerms: TermEvidence, ofVectors: VectorEvidence): Map<number, number> {
  const { ids, scores } = fuse(ofTerms, ofVectors);
  assertEquals(ids.length, new Set(ids).size, "each chunk once");
  return new Map(Array.from(ids, (id, index) => [id, scores[index] as number]));
}

function assertAlmostEquals(actual: number, expected: number): void {
  assert(Math.abs(actual - expected) < 1e-5, `${actual} is not ${expected}`);
}

/** Returns the ids in order of their fused scores. */
function order(ofTerms: TermEvidence, ofVectors: VectorEvidence): number[] {
  return [...fusedScores(ofTerms, ofVectors)].sort(([, a], [, b]) => b - a).map(([id]) => id);
}

Deno.test("a sure vector outranks stray matches of a common word", () => {
  // "What language should I reply in?": the notes 2 and 3 contain "language", and 1 is about answers in German.
  const stray = [{ id: 2, score: 4.5, weight: 3.5 }, { id: 3, score: 3, weight: 3.5 }];
  assertEquals(order(terms(stray, 11), vectors({ 1: 0.4, 2: 0.34, 3: 0.3 })), [1, 2, 3]);
});

Deno.test("a chunk with all words of a query outranks one that is merely similar", () => {
  const whole = [{ id: 1, score: 10, weight: 9 }];
  assertEquals(order(terms(whole, 9), vectors({ 1: 0.2, 2: 0.5, 3: 0.49 })), [1, 2, 3]);
});

Deno.test("a keyword that few chunks contain outranks vectors, which know single words badly", () => {
  const matches = [{ id: 8, score: 7, weight: 6.5 }, { id: 9, score: 6, weight: 6.5 }];
  assertEquals(order(terms(matches, 6.5), vectors({ 1: 0.5, 2: 0.4, 8: 0.15, 9: 0.15 })), [8, 9, 1, 2]);
});

Deno.test("two or three rare terms of a long question are full evidence", () => {
  const question = (weight: number) => [{ id: 1, score: 14, weight }];
  const half = fusedScores(terms(question(17.5), 80), vectors({ 1: 0 })).get(1) ?? 0;
  const more = fusedScores(terms(question(21), 80), vectors({ 1: 0 })).get(1) ?? 0;
  const less = fusedScores(terms(question(8.75), 80), vectors({ 1: 0 })).get(1) ?? 0;
  assertAlmostEquals(half, more);
  assertAlmostEquals(less, half / 2 ** 1.5);
});

Deno.test("the score grows with the similarity, the BM25 score and the matched share of the query", () => {
  const { int } = seededRandom(1);
  for (let round = 0; round < 200; round++) {
    const [score, weight, queryWeight] = [int(100) / 5, 1 + int(12), 1 + int(40)];
    const similarity = int(200) / 100 - 1;
    const scoreOf = (match: Omit<TermMatch, "id">, cosine: number) =>
      fusedScores(terms([{ id: 1, ...match }], queryWeight), vectors({ 1: cosine })).get(1) ?? NaN;
    const base = scoreOf({ score, weight }, similarity);
    assert(scoreOf({ score: score + 1, weight }, similarity) > base);
    assert(scoreOf({ score, weight }, similarity + 0.01) > base);
    assert(scoreOf({ score, weight: weight + 1 }, similarity) >= base);
    assert(base >= similarity);
  }
});

Deno.test("the order is the same for a model whose similarities differ by a factor and an offset", () => {
  const { int } = seededRandom(3);
  const matches = Array.from(
    { length: 40 },
    (_, n) => ({ id: n + 1, score: int(90) / 10, weight: int(120) / 10 }),
  );
  const similarities = Array.from({ length: 60 }, (_, n) => [n + 21, int(1000) / 1000] as const);
  const ranked = (offset: number, factor: number, spread: number) =>
    order(terms(matches, 12), {
      ...vectors(Object.fromEntries(similarities.map(([id, value]) => [id, offset + factor * value]))),
      spread,
    });
  const typical = ranked(0, 1, 0.08);
  assertEquals(ranked(0.7, 0.25, 0.02), typical);
  assertEquals(ranked(-0.1, 0.9, 0.9 * 0.08), typical);
  assertEquals(ranked(0, 2, 0.3), ranked(0, 1, 0.15), "larger");
  assertEquals(ranked(0, 1, 0.12), typical, "the spread within the typical range is that of the documents");
});

Deno.test("a hit keeps its similarity from beyond the nearest chunks", () => {
  const match = terms([{ id: 5, score: 2, weight: 4 }], 8);
  const nearest = { ...vectors({ 1: 0.9, 2: 0.85, 3: 0.8 }), total: 50 };
  const known = fusedScores(match, { ...nearest, others: [{ id: 5, score: 0.1 }] }).get(5) ?? 0;
  const unknown = fusedScores(match, nearest).get(5) ?? 0;
  assertAlmostEquals(unknown - known, 0.8 - 0.1);
});

Deno.test("a chunk without a vector gets the median similarity", () => {
  const similarities = vectors({ 1: 0.9, 2: 0.4, 3: -0.2 });
  const withoutVector = fusedScores(terms([{ id: 7, score: 5, weight: 5 }], 5), similarities).get(7) ?? 0;
  const similar = fusedScores(terms([{ id: 2, score: 5, weight: 5 }], 5), similarities).get(2);
  assertEquals(withoutVector, similar);
});

Deno.test("of the first chunks without a vector, those with more of the query get a higher similarity", () => {
  const [whole, half, stray] = [{ id: 7, score: 5, weight: 8 }, { id: 8, score: 5, weight: 4 }, {
    id: 9,
    score: 5,
    weight: 0,
  }];
  const similarities = vectors({ 1: 0.9, 2: 0.4, 3: -0.2 });
  const scoreOf = (match: TermMatch, compared: readonly number[], { id } = match) =>
    fusedScores({ ...terms([match], 8), compared }, similarities).get(id) ?? NaN;
  const gain = (match: TermMatch) => scoreOf(match, [match.id]) - scoreOf(match, []);
  // The median is 0.4, and the highest similarity 0.9.
  assertAlmostEquals(gain(whole), 0.25);
  assertAlmostEquals(gain(half), 0.25 / 4);
  assertAlmostEquals(gain(stray), 0);
  const known = { id: 3, score: 5, weight: 8 };
  assertEquals(scoreOf(known, [3]), scoreOf(known, []), "a known similarity is kept");
});

Deno.test("the result contains the chunks of both rankings, and is the same each time", () => {
  const { int } = seededRandom(2);
  const ids = new Set(Array.from({ length: 300 }, () => 1 + int(1000)));
  const matches = [...ids].map((id) => ({ id, score: int(30), weight: int(20) }));
  const nearest = vectors(
    Object.fromEntries(Array.from({ length: 100 }, () => [1 + int(1000), int(100) / 100])),
  );
  const scores = fusedScores(terms(matches, 20), nearest);
  assertEquals(new Set(scores.keys()), new Set([...ids, ...nearest.hits.map(({ id }) => id)]));
  const again = fusedScores(terms(matches.toReversed(), 20), nearest);
  for (const [id, score] of scores) assertEquals(again.get(id), score);
});

Deno.test("the first chunks and the number of weak ones are those of all scores", () => {
  const { next, int } = seededRandom(11);
  for (let round = 0; round < 300; round++) {
    // Few distinct numbers in every other round, so that many scores are equal.
    const number = (max: number) => round % 2 ? max * next() : int(4) / 4 * max;
    const ids = Array.from({ length: int(400) }, (_, id) => id + 1).filter(() => next() < 0.7);
    const queryWeight = 4 + number(8);
    const matches = ids.map((id) => ({ id, score: number(12), weight: number(queryWeight) }));
    const known = Object.fromEntries(Array.from({ length: 1 + int(60) }, () => [1 + int(500), number(0.8)]));
    const [ofTerms, ofVectors] = [terms(matches, queryWeight), vectors(known)];
    const total = ofVectors.total + int(2);
    const fused = fuse(ofTerms, { ...ofVectors, total });
    const all = Array.from(fused.ids, (id, index) => ({ id, score: fused.scores[index]! })).sort(byScore);
    for (const count of [1, 24, 1000]) assertEquals(topHits(fused, count), all.slice(0, count));
    for (const floor of [-Infinity, 0, 0.2, all[all.length >> 1]!.score, all[0]!.score, 9]) {
      assertEquals(countBelow(fused, floor), all.filter(({ score }) => score < floor).length);
    }
  }
});

Deno.test("the scores are the same after the hits by terms were moved", () => {
  const matches = Array.from({ length: 50 }, (_, id) => ({ id: id + 1, score: id % 7, weight: 5 + id % 5 }));
  const { hits, ...evidence } = terms(matches, 9);
  let arrays = { ids: hits.ids, scores: hits.scores, weights: hits.weights };
  const moving = {
    get ids() {
      return arrays.ids;
    },
    get scores() {
      return arrays.scores;
    },
    get weights() {
      return arrays.weights;
    },
  };
  const ofVectors = vectors({ 3: 0.4, 60: 0.3 });
  const fused = fuse({ ...evidence, hits: moving }, ofVectors);
  const expected = fuse({ ...evidence, hits }, ofVectors);
  const first = topHits(expected, 5);
  const weak = countBelow(expected, first[4]!.score);
  arrays = { ids: hits.ids.slice(), scores: hits.scores.slice(), weights: hits.weights.slice() };
  for (const array of [hits.ids, hits.scores, hits.weights]) array.fill(0);
  assertEquals(topHits(fused, 5), first);
  assertEquals(countBelow(fused, first[4]!.score), weak);
});
