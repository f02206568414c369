import { assert, assertEquals } from "@std/assert";
import { estimateTokens } from "../../src/text/estimate_tokens.ts";
import { fitTokens } from "../../src/text/token_budget.ts";

const RESULTS = [{ text: "a".repeat(100) }, { text: "b".repeat(100) }, { text: "c" }];

Deno.test("fitTokens keeps everything that fits", () => {
  assertEquals(fitTokens(RESULTS, { maxTokens: 1000 }), { results: RESULTS, omitted: 0, isTextCut: false });
  assertEquals(fitTokens([], { maxTokens: 50 }), { results: [], omitted: 0, isTextCut: false });
});

Deno.test("fitTokens omits all results from the first one that does not fit, including shorter ones", () => {
  assertEquals(fitTokens(RESULTS, { maxTokens: 50 }), {
    results: RESULTS.slice(0, 1),
    omitted: 2,
    isTextCut: false,
  });
});

Deno.test("fitTokens shortens the first result's text if it does not fit alone, but never to nothing", () => {
  const long = { text: "word ".repeat(1000) };
  const { results: [first], omitted, isTextCut } = fitTokens([long, { text: "c" }], { maxTokens: 100 });
  assertEquals([omitted, isTextCut], [1, true]);
  assert(first!.text.endsWith("…"));
  const tokens = estimateTokens(JSON.stringify(first));
  assert(tokens > 90 && tokens <= 100, `${tokens}`);
  const heavy = { ...long, title: "x".repeat(1000) };
  assertEquals(fitTokens([heavy], { maxTokens: 50 }).results[0]?.text.length, 80);
});

Deno.test("fitTokens counts tokens instead of characters, and keeps surrogate pairs together", () => {
  const { results: [first], omitted, isTextCut } = fitTokens([{ text: "𠮷".repeat(1000) }], {
    maxTokens: 101,
  });
  assertEquals([omitted, isTextCut], [0, true]);
  assert(first!.text.isWellFormed());
  assert([...first!.text].length < 105);
});

Deno.test("fitTokens counts only the fields that `counted` returns", () => {
  const results = [{ text: "a", ignored: "x".repeat(1000) }, { text: "b", ignored: "x".repeat(1000) }];
  const counted = ({ text }: { text: string }) => ({ text });
  assertEquals(fitTokens(results, { maxTokens: 50, counted }).results, results);
});

Deno.test("fitTokens shortens with `shorten`", () => {
  const shorten = (text: string, length: number) => text.slice(-length);
  const { results: [first] } = fitTokens([{ text: `${"a".repeat(1000)}end` }], { maxTokens: 50, shorten });
  assert(first!.text.endsWith("end") && first!.text.length >= 80);
});
