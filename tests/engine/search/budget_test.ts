import { assert, assertEquals } from "@std/assert";
import type { SearchResult } from "../../../src/contract/mod.ts";
import { fitResults, resultTokens } from "../../../src/engine/search/budget.ts";
import { snippetCutter } from "../../../src/engine/search/snippet.ts";
import { seededRandom } from "../../support/random.ts";

/** Fits results to a budget for a query that matches nothing, so that texts keep their beginning. */
const fit = (results: readonly SearchResult[], tokens: number) =>
  fitResults(results, {
    maxTokens: tokens,
    shorten: (text, chars) => snippetCutter([], () => 1)(text, { chars }),
  });

function result(text: string, more: Partial<SearchResult> = {}): SearchResult {
  return { chunk_id: 1, document_id: 1, score: 1, text, tags: [], ...more };
}

function estimate(results: readonly SearchResult[]): number {
  return results.reduce((sum, each) => sum + resultTokens(each), 0);
}

const PROSE = "The heron stands among the reeds and waits for whatever the evening tide brings in. ";

Deno.test("the first results are kept within the budget, and the others counted", () => {
  const { int } = seededRandom(1);
  for (let round = 0; round < 300; round++) {
    const results = Array.from(
      { length: int(20) },
      (_, n) =>
        result(PROSE.repeat(int(12) + 1), { chunk_id: n, tags: Array(int(5)).fill("collection:memory") }),
    );
    const budget = 50 + int(2000);
    const { results: kept, omitted, isTextCut } = fit(results, budget);
    assertEquals(kept.length + omitted, results.length);
    if (isTextCut) {
      assertEquals([kept.length, kept[0]!.chunk_id], [1, 0]);
      assert(resultTokens(results[0]!) > budget);
    } else {
      assertEquals(kept, results.slice(0, kept.length));
      assert(estimate(kept) <= budget);
      // One more result would exceed the budget.
      if (omitted > 0) assert(estimate(results.slice(0, kept.length + 1)) > budget);
    }
  }
});

Deno.test("results that just fit are all kept, and one token less omits the last", () => {
  const results = [result(PROSE), result(PROSE.repeat(3)), result(PROSE)];
  const exact = estimate(results);
  assertEquals(fit(results, exact), { results, omitted: 0, isTextCut: false });
  assertEquals(fit(results, exact - 1), { results: results.slice(0, 2), omitted: 1, isTextCut: false });
  assertEquals(fit([], 50), { results: [], omitted: 0, isTextCut: false });
});

Deno.test("a smaller result does not replace an earlier one that does not fit", () => {
  const results = [result(PROSE), result(PROSE.repeat(50)), result("x")];
  assertEquals(fit(results, 400), { results: results.slice(0, 1), omitted: 2, isTextCut: false });
});

Deno.test("a single result that is too large is cut at a word, with an ellipsis", () => {
  const text = PROSE.repeat(40);
  for (let budget = 80; budget < 600; budget += 7) {
    const { results: [cut], omitted, isTextCut } = fit([result(text), result(text)], budget);
    assertEquals([omitted, isTextCut], [1, true]);
    assert(resultTokens(cut!) <= budget);
    const [whole, ...rest] = cut!.text.split(" …");
    assertEquals(rest, [""]);
    assert(text.startsWith(`${whole} `));
    // One more word would not fit.
    const longer = text.slice(0, text.indexOf(" ", whole!.length + 1)) + " …";
    assert(resultTokens({ ...cut!, text: longer }) > budget, String(budget));
  }
});

Deno.test("the smallest budget still keeps the beginning of the first result", () => {
  const { results: [cut], isTextCut } = fit([result(PROSE.repeat(9), { title: "t".repeat(2000) })], 50);
  assertEquals(isTextCut, true);
  assertEquals(
    cut!.text,
    "The heron stands among the reeds and waits for whatever the evening tide brings …",
  );
  assertEquals(
    fit([result("A short one.", { title: "t".repeat(2000) })], 50).results[0]!.text,
    "A short one.",
  );
});

Deno.test("a text without spaces is cut between characters", () => {
  for (
    const text of [
      "𠮷".repeat(900),
      `x${"𠮷".repeat(900)}`,
      "🚀".repeat(900),
      "東京".repeat(900),
      "a".repeat(9000),
    ]
  ) {
    for (const budget of [50, 51, 52, 100, 333]) {
      const { results: [cut] } = fit([result(text)], budget);
      assert(cut!.text.isWellFormed() && !cut!.text.includes("\ufffd"));
      assert(cut!.text.endsWith(" …") && text.startsWith(cut!.text.slice(0, -2)));
      assert(cut!.text.length > 20 && cut!.text.length < text.length);
    }
  }
});

Deno.test("a text with its only space near the beginning fills the budget", () => {
  for (
    const text of [`Kyoto: ${"京都は古い都市です。".repeat(90)}`, `key ${"9f86d081884c7d65".repeat(90)}`]
  ) {
    for (const budget of [200, 400]) {
      const { results: [cut] } = fit([result(text)], budget);
      assert(resultTokens(cut!) <= budget);
      assert(resultTokens(cut!) > budget - 10, `${resultTokens(cut!)} of ${budget}`);
    }
  }
});

Deno.test("context is dropped before text is cut", () => {
  const alone = result(PROSE.repeat(3));
  const surrounded = { ...alone, context_before: PROSE.repeat(3), context_after: PROSE.repeat(3) };
  assertEquals(fit([surrounded], resultTokens(alone)), { results: [alone], omitted: 0, isTextCut: true });
});

Deno.test("fields that models do not read cost nothing", () => {
  const bare = result(PROSE);
  const more = {
    snippet: PROSE,
    char_start: 123_456,
    char_end: 123_999,
    page_start: null,
    source_path: null,
  };
  assertEquals(resultTokens({ ...bare, ...more }), resultTokens(bare));
});
