import { assertEquals } from "@std/assert";
import { TopK } from "../../src/data_structures/top_k.ts";
import { seededRandom } from "../support/random.ts";

Deno.test("TopK keeps what sorting all by score, then by id, would put first", () => {
  for (let seed = 1; seed <= 200; seed++) {
    const { int } = seededRandom(seed);
    const capacity = 1 + int(40);
    // Few scores, so that many are equal.
    const offers = Array.from({ length: int(200) }, (_, i) => ({ id: i + 1, score: int(9) - 4 }))
      .sort(() => int(3) - 1);
    const best = new TopK(capacity);
    for (const { id, score } of offers) best.offer(id, score);
    const expected = offers.sort((a, b) => b.score - a.score || a.id - b.id).slice(0, capacity);
    const { ids, scores } = best.ranked();
    assertEquals([...ids], expected.map(({ id }) => id), `seed ${seed}`);
    assertEquals([...scores], expected.map(({ score }) => score), `seed ${seed}`);
  }
});

Deno.test("TopK takes anything until it is full, and then nothing below its least score, nor what is no number", () => {
  const best = new TopK(2);
  best.offer(1, NaN);
  best.offer(2, -5);
  assertEquals(best.least, -Infinity);
  best.offer(3, -7);
  assertEquals(best.least, -7);
  best.offer(4, -8);
  best.offer(5, NaN);
  best.offer(6, -6);
  assertEquals([...best.ranked().ids], [2, 6]);
});
