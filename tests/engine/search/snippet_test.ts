import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { parseQuery } from "../../../src/engine/search/query.ts";
import { SNIPPET_CHARS, snippetCutter } from "../../../src/engine/search/snippet.ts";

const snippet = (query: string, text: string) => snippetCutter(parseQuery(query).terms, () => 1)(text);
const filler = (words: number) => Array.from({ length: words }, (_, n) => `filler${n}`).join(" ");

Deno.test("the snippet of a short text is the whole text on one line", () => {
  assertEquals(snippet("kettle", "  The kettle\n\n is\tred. "), "The kettle is red.");
});

Deno.test("a long text is cut around the query's words, with ellipses", () => {
  const cut = snippet("kettle", `${filler(100)} the red kettle boils ${filler(100)}`);
  assertStringIncludes(cut, "the red kettle boils");
  assert(/^… filler\d+ .* filler\d+ …$/.test(cut), cut);
  assert(cut.length <= SNIPPET_CHARS + 4, String(cut.length));
});

Deno.test("a window with more distinct words wins over one with repeated words", () => {
  const text = `kettle kettle kettle ${filler(60)} the kettle is descaled with vinegar ${filler(60)}`;
  assertStringIncludes(snippet("kettle vinegar descaling", text), "the kettle is descaled with vinegar");
});

Deno.test("a rare word has a higher weight than a common one", () => {
  const text = `alpha ${filler(80)} beta ${filler(80)}`;
  const cut = snippetCutter(parseQuery("alpha beta").terms, (stem) => (stem === "beta" ? 5 : 1))(text);
  assertStringIncludes(cut, " beta ");
});

Deno.test("a match at an end of the text has no ellipsis there", () => {
  const atStart = snippet("kettle", `Kettle ${filler(100)}`);
  assert(atStart.startsWith("Kettle filler0") && atStart.endsWith(" …"), atStart);
  const atEnd = snippet("kettle", `${filler(100)} kettle`);
  assert(atEnd.startsWith("… filler") && atEnd.endsWith(" kettle"), atEnd);
});

Deno.test("without a match the snippet is the beginning", () => {
  assert(snippet("absent", filler(100)).startsWith("filler0 filler1"));
});

Deno.test("words match as in the index: by stem, diacritics, ligatures, soft hyphens", () => {
  for (
    const [query, word] of [
      ["configure", "configurations"],
      ["creme", "Crème"],
      ["strasse", "Straße"],
      ["file", "ﬁle"],
      ["international", "inter\u00adnatio\u00adnal"],
      ["Denoで", "Denoで"],
      ["snake_case", "snake_case"],
      ["●", "●"],
      ["resume", "résumé"],
      ["C", "C"],
    ] as const
  ) {
    assertStringIncludes(snippet(query, `${filler(100)} ${word} ${filler(100)}`), ` ${word} `, query);
  }
});

Deno.test("text without spaces matches, and is cut between characters", () => {
  const text = "あいうえお".repeat(100) + "東京タワー" + "かきくけこ".repeat(100);
  const cut = snippet("東京タワー", text);
  assertStringIncludes(cut, "東京タワー");
  assert(cut.startsWith("… ") && cut.endsWith(" …") && cut.length <= SNIPPET_CHARS + 4);

  const emoji = "👍🏽".repeat(300) + "🚀" + "👨‍👩‍👧".repeat(100);
  const part = snippet("🚀", emoji);
  assert(part.isWellFormed(), part);
  assertStringIncludes(part, "🚀");
  assert(!/^… [\u200d\u{1f3fb}-\u{1f3ff}]/u.test(part) && !/\u200d …$/u.test(part), part);
});

Deno.test("unusual texts have snippets of limited length", () => {
  for (
    const text of [
      "",
      " ",
      "\ud800".repeat(500),
      "x".repeat(5000),
      "\u0301".repeat(600),
      "kettle ".repeat(5000),
    ]
  ) {
    const cut = snippet("kettle", text);
    assert(cut.length <= SNIPPET_CHARS + 50, `${cut.length}`);
  }
});
