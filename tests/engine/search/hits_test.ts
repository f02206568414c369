import { assertEquals } from "@std/assert";
import { byScore, topHits, topIndexes } from "../../../src/engine/search/hits.ts";
import { seededRandom } from "../../support/random.ts";

Deno.test("top hits are ordered by score, then by id", () => {
  const { int } = seededRandom(7);
  for (let n = 0; n < 300; n++) {
    const ids = Array.from({ length: int(60) }, (_, at) => at * 3 + int(3));
    // In random order, with few distinct scores.
    ids.sort(() => int(3) - 1);
    const scores = ids.map(() => int(1 + int(40)) / 4);
    const sorted = ids.map((id, at) => ({ id, score: scores[at] as number })).sort(byScore);
    const hits = { ids: Uint32Array.from(ids), scores: Float64Array.from(scores) };
    for (const count of [0, 1, 2, 7, 59, 60, 1000]) {
      assertEquals(topHits(hits, count), sorted.slice(0, count), `round ${n}, ${count} of ${ids.length}`);
      const indexed = topIndexes(hits, count).map((index) => ids[index]);
      assertEquals(indexed, sorted.slice(0, count).map(({ id }) => id));
    }
  }
});

Deno.test("sorting by score does not depend on the initial order", () => {
  const [a, b, c] = [{ id: 1, score: 2 }, { id: 2, score: 2 }, { id: 3, score: 5 }];
  assertEquals([a, b, c].sort(byScore), [c, a, b]);
  assertEquals([c, b, a].sort(byScore), [c, a, b]);
  assertEquals(byScore(a, a), 0);
});
