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
