import { assert, assertEquals } from "@std/assert";
import { collapseIdentical } from "../../../src/engine/search/identical_passages.ts";
import type { Passages } from "../../../src/engine/search/passages.ts";
import { rankingOfHits } from "../../../src/engine/search/ranking.ts";

/** Returns the ranking of some texts, best first, and passages that count how often a whole text is requested: all before `#`. */
function rankTexts(texts: readonly string[]) {
  const ids = Uint32Array.from(texts, (_, index) => index + 1);
  const requests = { count: 0 };
  const whole = (id: number) => {
    requests.count++;
    return texts[id - 1]!.split("#")[0]!;
  };
  const passages: Passages = {
    wordCountOf: () => 9,
    textsOf: (chunks) =>
      new Map(chunks.map((id) => [
        id,
        (part) => [() => texts[id - 1]!.slice(0, 4), () => whole(id), () => texts[id - 1]!][part]?.(),
      ])),
    wordsOf: () => undefined,
    changeTimesOf: () => new Map(),
  };
  const ranking = rankingOfHits({ ids, scores: Float64Array.from(ids, (id) => 1 / id) });
  return { ...collapseIdentical(ranking, passages), requests };
}

Deno.test("passages that only start alike are results of their own", () => {
  const { top, copiesOf } = rankTexts(["form a", "form b", "other", "form b", "form a", "form c"]);
  assertEquals(top(6).map(({ id }) => id), [1, 2, 3, 6]);
  assertEquals([1, 2, 3, 6].map(copiesOf), [[5], [4], [], []]);
});

Deno.test("passages that differ in the last part only are results of their own", () => {
  const { top, copiesOf } = rankTexts(["form", "form#a", "form#b", "form#a", "form"]);
  assertEquals(top(5).map(({ id }) => id), [1, 2, 3]);
  assertEquals([1, 2, 3].map(copiesOf), [[5], [4], []]);
});

Deno.test("the effort for passages that start alike grows with their number only", () => {
  const { top, requests } = rankTexts(Array.from({ length: 500 }, (_, index) => `form ${index}`));
  assertEquals(top(500).length, 500);
  assert(requests.count <= 1000, `${requests.count} requests`);
});
