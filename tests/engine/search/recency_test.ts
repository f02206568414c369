import { assertEquals } from "@std/assert";
import { rankingOfHits } from "../../../src/engine/search/ranking.ts";
import { sortByRecency } from "../../../src/engine/search/recency.ts";

Deno.test("by time, chunks of a document are in the order of their scores, however close, then of their ids", () => {
  // Scores that differ by less than a time in milliseconds can hold besides.
  const scores = [2.587, 2.5871, 2.5872, 5, 2.587];
  const ids = [14, 13, 12, 11, 10];
  const hits = { ids: Uint32Array.from(ids), scores: Float64Array.from(scores) };
  const day = Date.UTC(2026, 0, 1);
  const ranking = sortByRecency(rankingOfHits(hits), { changedAt: (chunk) => chunk === 11 ? day - 1 : day });
  assertEquals(ranking.top(9).map(({ id }) => id), [12, 13, 10, 14, 11]);
  assertEquals(ranking.top(2), [{ id: 12, score: 2.5872 }, { id: 13, score: 2.5871 }]);
  assertEquals(ranking.top(0), []);
});
