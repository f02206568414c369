import { assertEquals } from "@std/assert";
import { kthLargest, TopSet } from "../../src/data_structures/mod.ts";
import { seededRandom } from "../support/random.ts";

Deno.test("selects the k-th largest of any numbers, and moves the k largest to the front", () => {
  const { next } = seededRandom(3);
  for (let round = 0; round < 200; round++) {
    const size = 1 + Math.floor(60 * next());
    // Few distinct values in every other round.
    const values = Float32Array.from({ length: size }, () => round % 2 ? next() : Math.floor(4 * next()));
    const sorted = values.toSorted().reverse();
    const k = 1 + Math.floor(size * next());
    assertEquals(kthLargest(values, k), sorted[k - 1]);
    assertEquals(values.slice(0, k).sort().reverse(), sorted.slice(0, k));
    assertEquals(values.toSorted().reverse(), sorted);
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
