import { assertEquals } from "@std/assert";
import { compareWords, precision, recall, surplusWords } from "./words.ts";

Deno.test("words are compared as a bag, without case, link targets and hyphenation", () => {
  const overlap = compareWords(
    "Read the man-\nual, then stop",
    "then STOP: read the [manual](http://x/y(z)) now",
  );
  assertEquals(overlap, { expected: 5, extracted: 6, common: 5 });
  assertEquals([recall(overlap), precision(overlap)], [1, 5 / 6]);
});

Deno.test("a repeated word counts as often as in the text that has it less often", () => {
  assertEquals(compareWords("a a a b", "a a c"), { expected: 4, extracted: 3, common: 2 });
  assertEquals(surplusWords("a a a b", "a a c", 9), ["a×1", "b×1"]);
});

Deno.test("scripts without spaces are compared by character", () => {
  assertEquals(compareWords("日本語ページ", "日 本 文ペ ージ").common, 5);
});
