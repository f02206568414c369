import { assert, assertEquals } from "@std/assert";
import { analyzeForSearch, asciiWords, findSubword } from "../../src/analysis/mod.ts";
import { seededRandom } from "../support/random.ts";

/** Returns whether a word is a subword, if that is known, in the words in ASCII, if the text has them, and in the normalized text. */
function test(text: string, word: string): (boolean | undefined)[] {
  const normalized = analyzeForSearch(text).normalized.toLowerCase();
  const ascii = asciiWords(text);
  return [
    ...(ascii === undefined ? [] : [findSubword({ text, words: ascii, isAligned: true }, word)]),
    findSubword({ text, words: normalized, isAligned: false }, word),
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
    "name",
    "ŀ",
    "ﬁ",
    "n\u0303",
  ];
  const texts = Array.from(
    { length: 6000 },
    () => Array.from({ length: 1 + int(9) }, () => pick(parts)).join(""),
  );
  let count = 0;
  for (const text of [...texts, "C++ 11", "use .NET", "the µm of PKCzeta", "İSTANBULda İd3x", "ﬁ-xß.Net"]) {
    for (const word of analyzeForSearch(text).subwords().toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
      assert(!test(text, word).includes(false), `${word} of ${text}`);
      count++;
    }
  }
  assert(count > 2000, `${count}`);
});

Deno.test("a word that is found is a subword", () => {
  const { int, pick } = seededRandom(6);
  const parts = [..."abABX09-._ ", "get", "User", "é", "“"];
  let count = 0;
  for (let round = 0; round < 3000; round++) {
    const text = Array.from({ length: 1 + int(9) }, () => pick(parts)).join("");
    const subwords = analyzeForSearch(text).subwords().toLowerCase().split(/[^a-z0-9]+/);
    const words = new Set(asciiWords(text)!.split(/[^a-z0-9]+/));
    for (const word of ["a", "b", "ab", "bx", "get", "user", "getuser", "a0", "b9x", "0a"]) {
      if (words.has(word)) continue;
      const found = findSubword({ text, words: asciiWords(text)!, isAligned: true }, word);
      assertEquals(found, subwords.includes(word), `${word} in ${text}`);
      if (found) count++;
    }
  }
  assert(count > 300, `${count}`);
});

Deno.test("whether most words are subwords is known without finding all of them", () => {
  const text = "plain functions of utf-8, “getUserName” and C++, tables of a9b8.c7d6-e5f4";
  const known = (word: string) => findSubword({ text, words: asciiWords(text)!, isAligned: true }, word);
  assertEquals(["utf8", "user", "getuser"].map(known), [true, true, false]);
  assertEquals(["function", "ername", "cplus", "東", "foo_bar", "tables9"].map(known), Array(6).fill(false));
  assertEquals(known("cplusplus"), undefined);
});

Deno.test("a word that occurs only inside of other words is no subword, although their offsets differ", () => {
  const text = "½ expressions of (a)symmetric getUserNames, ﬁle names, subExpression";
  const words = analyzeForSearch(text).normalized.toLowerCase();
  const known = (word: string) => findSubword({ text, words, isAligned: false }, word);
  assertEquals(["metric", "name", "symmetr", "pression", "group"].map(known), Array(5).fill(false));
  assertEquals(["user", "expression", "file"].map(known), Array(3).fill(undefined));
});

Deno.test("a run of names that is too long to repeat is left to the search for all subwords", () => {
  const text = `${"a1-".repeat(100)}getUserName, ${"no_User-x ".repeat(100)}`;
  const words = asciiWords(text)!;
  assertEquals(findSubword({ text, words, isAligned: true }, "username"), undefined);
  const short = text.slice(300);
  assertEquals(findSubword({ text: short, words: asciiWords(short)!, isAligned: true }, "ser"), false);
});
