import { assert, assertEquals } from "@std/assert";
import { fuse, FUSION } from "../../../src/engine/search/fusion.ts";

/** Returns a ranking whose scores are irrelevant. */
function ranking(ids: readonly number[]) {
  return ids.map((id, index) => ({ id, score: -index }));
}

Deno.test("a fused score is the sum of weighted reciprocal ranks, relative to the maximum", () => {
  // k = 30, weights 1 and 0.6: the maximum, first in both, is 1.6 / 31.
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

Deno.test("a chunk that is first in both rankings scores 1, and no chunk scores more", () => {
  assertEquals(fuse(ranking([4]), ranking([4])), [{ id: 4, score: 1 }]);
  const ids = Array.from({ length: 200 }, (_, n) => n + 1);
  const scores = fuse(ranking(ids), ranking(ids.toReversed())).map(({ score }) => score);
  assert(scores.every((score) => score > 0 && score < 1));
});

Deno.test("a single ranking keeps its order, and no rankings give no results", () => {
  const ids = [30, 10, 20];
  assertEquals(fuse(ranking(ids), []).map(({ id }) => id), ids);
  assertEquals(fuse([], ranking(ids)).map(({ id }) => id), ids);
  assertEquals(fuse([], []), []);
});

Deno.test("only ranks count, not scores", () => {
  const near = fuse([{ id: 1, score: 1e9 }, { id: 2, score: 1e-9 }], [{ id: 2, score: 0.1 }]);
  const far = fuse([{ id: 1, score: 2 }, { id: 2, score: 1.9 }], [{ id: 2, score: 0.9 }]);
  assertEquals(near, far);
});
