import { assert, assertEquals } from "@std/assert";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { estimateTokens } from "../../src/text/estimate_tokens.ts";
import { fitTokens } from "../../src/text/token_budget.ts";

const RESULTS = [{ text: "a".repeat(100) }, { text: "b".repeat(100) }, { text: "c" }];

Deno.test("fitTokens keeps everything that fits", () => {
  const nothingCut = { omitted: 0, isTextCut: false, isContextCut: false };
  assertEquals(fitTokens(RESULTS, { maxTokens: 1000 }), { results: RESULTS, ...nothingCut });
  assertEquals(fitTokens([], { maxTokens: 50 }), { results: [], ...nothingCut });
});

Deno.test("fitTokens omits the results after the one that does not fit, including shorter ones", () => {
  const [first] = RESULTS;
  const isText = { isTextCut: false, isContextCut: false };
  assertEquals(fitTokens(RESULTS, { maxTokens: 30 }), { results: [first], omitted: 2, ...isText });
});

Deno.test("fitTokens shortens the first result that does not fit to the remaining tokens", () => {
  const results = [{ text: "word ".repeat(100) }, { text: "other ".repeat(200) }, { text: "last" }];
  for (let maxTokens = 150; maxTokens < 300; maxTokens++) {
    const fitted = fitTokens(results, { maxTokens });
    assertEquals([fitted.results.length, fitted.omitted, fitted.isTextCut], [2, 1, true]);
    const tokens = encode(JSON.stringify(fitted.results)).length;
    assert(tokens > 0.94 * maxTokens && tokens <= maxTokens, `${tokens} of ${maxTokens}`);
  }
});

Deno.test("fitTokens removes context from its far ends before it cuts text", () => {
  const result = { context_before: "b ".repeat(200), text: "t ".repeat(100), context_after: "a ".repeat(50) };
  const whole = estimateTokens(JSON.stringify(result));
  const bare = estimateTokens(JSON.stringify({ text: result.text }));
  for (let maxTokens = bare; maxTokens < whole; maxTokens += 7) {
    const { results: [cut], ...flags } = fitTokens([result], { maxTokens });
    assertEquals(flags, { omitted: 0, isTextCut: false, isContextCut: true });
    assertEquals(cut!.text, result.text);
    const { context_before = "", context_after = "" } = cut!;
    assert(context_before === "" || context_before.startsWith("…"));
    assert(context_after === result.context_after || context_after === "" || context_after.endsWith("…"));
    const tokens = estimateTokens(JSON.stringify(cut));
    assert(tokens <= maxTokens && tokens > maxTokens - 20, `${tokens} of ${maxTokens}`);
  }
  const tiny = fitTokens([result], { maxTokens: bare - 1 });
  assertEquals([tiny.isTextCut, tiny.isContextCut, "context_before" in tiny.results[0]!], [
    true,
    true,
    false,
  ]);
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
