import { assertEquals } from "@std/assert";
import { kthLargest, TopSet } from "../../src/data_structures/mod.ts";
import { seededRandom } from "../support/random.ts";

Deno.test("selects the k-th largest of any numbers", () => {
  const { next } = seededRandom(3);
  const kinds = [
    () => next() - 0.5,
    // Few distinct values.
    () => Math.floor(4 * next()),
    () => 7,
    // One range has all values but one.
    () => next() < 0.01 ? 1e30 : next(),
    () => next() < 0.5 ? Infinity : next(),
    () => next() < 0.5 ? -Infinity : next(),
    () => 2 ** -149 * Math.floor(9 * next()),
  ];
  for (let round = 0; round < 700; round++) {
    const size = 1 + Math.floor((round % 3 ? 60 : 2000) * next());
    const values = Float32Array.from({ length: size }, kinds[round % kinds.length]!);
    const sorted = values.toSorted().reverse();
    const k = 1 + Math.floor(size * next());
    assertEquals(kthLargest(values, k), sorted[k - 1], `round ${round}`);
  }
});

Deno.test("keeps the highest-scoring ids of many", () => {
  const { next } = seededRandom(4);
  const scores = Float32Array.from({ length: 2000 }, (_, id) => id % 3 ? next() : 0.5);
  for (const capacity of [1, 7, 700, 3000]) {
    const top = new TopSet(capacity);
    scores.forEach((score, id) => top.offer(id, score));
    top.offer(9999, NaN);
    const kept = top.kept();
    assertEquals(kept.scores.toSorted().reverse(), scores.toSorted().reverse().slice(0, capacity));
    assertEquals(Array.from(kept.ids, (id) => scores[id]), [...kept.scores]);
    assertEquals(new Set(kept.ids).size, kept.ids.length);
  }
});

Deno.test("keeps no id below a threshold, and knows whether it is full", () => {
  const top = new TopSet(2, 0.5);
  for (const [id, score] of [[1, 0.4], [2, 0.5], [3, NaN]] as const) top.offer(id, score);
  assertEquals([[...top.kept().ids], top.isFull], [[2], false]);
  for (const [id, score] of [[4, 0.9], [5, 0.7]] as const) top.offer(id, score);
  assertEquals([[...top.kept().ids].sort(), top.isFull], [[4, 5], true]);
});
