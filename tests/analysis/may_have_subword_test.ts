import { assert, assertEquals } from "@std/assert";
import { analyzeForSearch, asciiWords, mayHaveSubword } from "../../src/analysis/mod.ts";
import { seededRandom } from "../support/random.ts";

/** Returns whether a word may be a subword, in the words in ASCII, if the text has them, and in the normalized text. */
function test(text: string, word: string): boolean[] {
  const normalized = analyzeForSearch(text).normalized.toLowerCase();
  const ascii = asciiWords(text);
  return [
    ...(ascii === undefined ? [] : [mayHaveSubword({ text, words: ascii, isAligned: true }, word)]),
    mayHaveSubword({ text, words: normalized, isAligned: false }, word),
  ];
}

Deno.test("a subword is never ruled out", () => {
  const { int, pick } = seededRandom(5);
  const parts = [
    ..."aBzX09-._ \n",
    "get",
    "User",
    "xml",
    "é",
    "ß",
    "½",
    "“",
    "東",
    "京",
    "α",
    "\u00ad",
    "C++",
    "İ",
  ];
  const texts = Array.from(
    { length: 3000 },
    () => Array.from({ length: 1 + int(9) }, () => pick(parts)).join(""),
  );
  let count = 0;
  for (const text of [...texts, "C++ 11", "use .NET", "the µm of PKCzeta", "İSTANBULda İd3x", "ﬁ-xß.Net"]) {
    for (const word of analyzeForSearch(text).subwords().toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
      count++;
      assert(!test(text, word).includes(false), `${word} of ${text}`);
    }
  }
  assert(count > 2000, `${count}`);
});

Deno.test("most words that are no subwords are ruled out", () => {
  const text = "plain functions of utf-8, “getUserName” and C++";
  const words = [
    "function",
    "utf8",
    "user",
    "ername",
    "getuser",
    "cplusplus",
    "cplus",
    "東",
    "foo_bar",
  ];
  assertEquals(words.filter((word) => test(text, word)[0]), ["utf8", "user", "getuser", "cplusplus"]);
});
