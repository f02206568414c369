import { assert, assertEquals } from "@std/assert";
import { fuse, FUSION } from "../../../src/engine/search/fusion.ts";

/** A ranking of chunks whose own scores say nothing. */
function ranking(ids: readonly number[]) {
  return ids.map((id, index) => ({ id, score: -index }));
}

Deno.test("a fused score is the weighted reciprocal ranks' share of the best possible one", () => {
  // k = 30, weights 1 and 0.6: first in both is 1.6 / 31.
  assertEquals(FUSION, { k: 30, fts: 1, vector: 0.6 });
  const fused = fuse(ranking([7, 8, 5]), ranking([8, 9]));
  const scores = fused.map(({ id, score }) => [id, Math.round(score * 1e6) / 1e6]);
  assertEquals(scores, [
    [8, 0.980469], // (1/32 + 0.6/31) / (1.6/31)
    [7, 0.625], // 1/31 / (1.6/31)
    [5, 0.587121], // 1/33 / (1.6/31)
    [9, 0.363281], // 0.6/32 / (1.6/31)
  ]);
});

Deno.test("what both rankings have first scores 1, and nothing scores more", () => {
  assertEquals(fuse(ranking([4]), ranking([4])), [{ id: 4, score: 1 }]);
  const ids = Array.from({ length: 200 }, (_, n) => n + 1);
  const scores = fuse(ranking(ids), ranking(ids.toReversed())).map(({ score }) => score);
  assert(scores.every((score) => score > 0 && score < 1));
});

Deno.test("one ranking alone keeps its order, and none at all is no result", () => {
  const ids = [30, 10, 20];
  assertEquals(fuse(ranking(ids), []).map(({ id }) => id), ids);
  assertEquals(fuse([], ranking(ids)).map(({ id }) => id), ids);
  assertEquals(fuse([], []), []);
});

Deno.test("only ranks count, not the scores behind them", () => {
  const near = fuse([{ id: 1, score: 1e9 }, { id: 2, score: 1e-9 }], [{ id: 2, score: 0.1 }]);
  const far = fuse([{ id: 1, score: 2 }, { id: 2, score: 1.9 }], [{ id: 2, score: 0.9 }]);
  assertEquals(near, far);
});
