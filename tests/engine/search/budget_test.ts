import { assert, assertEquals } from "@std/assert";
import { presentedResult, type SearchResult } from "../../../src/contract/mod.ts";
import { fitResults } from "../../../src/engine/search/budget.ts";
import { snippetCutter } from "../../../src/engine/search/snippet.ts";
import { estimateTokens } from "../../../src/text/mod.ts";
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

/** Tokens of a result as the first one of its document. */
function resultTokens(result: SearchResult): number {
  return estimateTokens(JSON.stringify(presentedResult(result, { isFirst: true })));
}

/** Tokens of a page: each result after the first shares a token with the one before. */
function estimate(results: readonly SearchResult[]): number {
  return results.reduce((sum, each) => sum + resultTokens(each), -Math.max(0, results.length - 1));
}

const PROSE = "The heron stands among the reeds and waits for whatever the evening tide brings in. ";

Deno.test("the first results are kept within the budget, the next one gets the rest, the others are counted", () => {
  const { int } = seededRandom(1);
  for (let round = 0; round < 300; round++) {
    const results = Array.from(
      { length: int(20) },
      (_, n) =>
        result(PROSE.repeat(int(12) + 1), {
          chunk_id: n,
          document_id: n,
          tags: Array(int(5)).fill("collection:memory"),
        }),
    );
    const budget = 100 + int(2000);
    const { results: kept, omitted, isTextCut } = fit(results, budget);
    assertEquals(kept.length + omitted, results.length);
    assert(estimate(kept) <= budget);
    assertEquals(
      kept.map(({ chunk_id }) => chunk_id),
      results.slice(0, kept.length).map(({ chunk_id }) => chunk_id),
    );
    const whole = isTextCut ? kept.slice(0, -1) : kept;
    assertEquals(whole, results.slice(0, whole.length));
    // One more whole result would exceed the budget.
    if (whole.length < results.length) assert(estimate(results.slice(0, whole.length + 1)) > budget);
    if (omitted > 0) assert(estimate(kept) > budget - 80, `${estimate(kept)} of ${budget}`);
  }
});

Deno.test("results that just fit are all kept, and one token less cuts the last", () => {
  const results = [
    result(PROSE),
    result(PROSE.repeat(3), { document_id: 2 }),
    result(PROSE.repeat(2), { document_id: 3 }),
  ];
  const exact = estimate(results);
  const flags = { isTextCut: false, isContextCut: false };
  assertEquals(fit(results, exact), { results, omitted: 0, ...flags });
  const { results: kept, isTextCut } = fit(results, exact - 1);
  assertEquals([kept.slice(0, 2), kept.length, isTextCut], [results.slice(0, 2), 3, true]);
  assertEquals(fit([], 50), { results: [], omitted: 0, ...flags });
});

Deno.test("a further result of a document costs no document fields", () => {
  const fields = {
    title: "A very long title of a document ".repeat(9),
    source_path: "a/long/path/".repeat(9),
  };
  const results = [result(PROSE, fields), result(PROSE, { chunk_id: 2, ...fields })];
  const bare = result(PROSE, { chunk_id: 2 });
  const budget = resultTokens(results[0]!) + resultTokens(bare) + 1;
  assertEquals(fit(results, budget).results, results);
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

Deno.test("context is dropped before text is cut, and text_cut does not say so", () => {
  const alone = result(PROSE.repeat(3));
  const surrounded = { ...alone, context_before: PROSE.repeat(3), context_after: PROSE.repeat(3) };
  assertEquals(fit([surrounded], resultTokens(alone)), {
    results: [alone],
    omitted: 0,
    isTextCut: false,
    isContextCut: true,
  });
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
