import { assertEquals } from "@std/assert";
import { TopK } from "../../src/data_structures/top_k.ts";
import { seededRandom } from "../support/random.ts";

Deno.test("TopK keeps the same ids, in the same order, as sorting by score and id", () => {
  for (let seed = 1; seed <= 200; seed++) {
    const { int } = seededRandom(seed);
    const capacity = 1 + int(40);
    // Few distinct scores, so that many are equal.
    const offers = Array.from({ length: int(200) }, (_, i) => ({ id: i + 1, score: int(9) - 4 }))
      .sort(() => int(3) - 1);
    const top = new TopK(capacity);
    for (const { id, score } of offers) top.offer(id, score);
    const expected = offers.sort((a, b) => b.score - a.score || a.id - b.id).slice(0, capacity);
    const { ids, scores } = top.ranked();
    assertEquals([...ids], expected.map(({ id }) => id), `seed ${seed}`);
    assertEquals([...scores], expected.map(({ score }) => score), `seed ${seed}`);
  }
});

Deno.test("TopK accepts any score until it is full, then none below its threshold, and never NaN", () => {
  const top = new TopK(2);
  top.offer(1, NaN);
  top.offer(2, -5);
  assertEquals(top.threshold, -Infinity);
  top.offer(3, -7);
  assertEquals(top.threshold, -7);
  top.offer(4, -8);
  top.offer(5, NaN);
  top.offer(6, -6);
  assertEquals([...top.ranked().ids], [2, 6]);
});
