import { assert, assertEquals } from "@std/assert";
import { answerTokens } from "../../src/text/answer_tokens.ts";
import { fitTokens } from "../../src/tools/fit_tokens.ts";

const RESULTS = [{ text: "a".repeat(100) }, { text: "b".repeat(100) }, { text: "c" }];

Deno.test("fitTokens keeps everything that fits", () => {
  assertEquals(fitTokens(RESULTS, 1000), { results: RESULTS });
  assertEquals(fitTokens([], 50), { results: [] });
});

Deno.test("fitTokens leaves out whole results from the first that does not fit, shorter ones after it too", () => {
  assertEquals(fitTokens(RESULTS, 50), {
    results: RESULTS.slice(0, 1),
    cut: { omitted: 2, text_cut: false },
  });
});

Deno.test("fitTokens cuts the best result's text when it alone is too long, and never to nothing", () => {
  const { results: [hit], cut } = fitTokens([{ text: "word ".repeat(1000) }, { text: "c" }], 100);
  assertEquals(cut, { omitted: 1, text_cut: true });
  assert(hit!.text.endsWith("…"));
  const tokens = answerTokens(JSON.stringify(hit));
  assert(tokens > 90 && tokens <= 100, `${tokens}`);
  const heavy = { text: "word ".repeat(1000), title: "x".repeat(1000) };
  assertEquals(fitTokens([heavy], 50).results[0]?.text.length, 80);
});

Deno.test("fitTokens counts what a character costs, and cuts no character in two", () => {
  const { results: [hit], cut } = fitTokens([{ text: "𠮷".repeat(1000) }], 101);
  assertEquals(cut, { omitted: 0, text_cut: true });
  assert(hit!.text.isWellFormed());
  assert([...hit!.text].length < 105);
});
