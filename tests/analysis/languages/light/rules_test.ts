import { assertEquals } from "@std/assert";
import { lightStemmer, type Rule, suffixes } from "../../../../src/analysis/languages/light/rules.ts";

/** Rules whose patterns end in every way that a stemmer uses, on words of their letters. */
const RULES: readonly Rule[] = [
  [suffixes("ab ba"), "c"],
  [/bc$/u, "a"],
  [/[ac]$/u, "b"],
  [/[ab]+$/u, "c"],
  [/(?<=a)([bc])$/u, "a$1"],
  [/(?:cc|ba)$/u, "ab"],
  [/(cb|ac)$/u, "b"],
  [/ab?$/u, "c"],
  [/(?:a|b[bc])$/u, "aa"],
  [/(?:ca?)$/u, "b"],
  [/([abc])\1$/u, "$1"],
  [/a$|c$/u, "b"],
  [/ca|b$/u, "a"],
  [/b\w$/u, "b"],
  [/a(?=[bc]$)/u, "c"],
  [/^a/u, "b"],
  [/(?<=\p{L}{2})b$/u, ""],
];

function* words(letters: string, length: number): Generator<string> {
  if (length === 0) return yield "";
  for (const start of words(letters, length - 1)) for (const letter of letters) yield start + letter;
}

Deno.test("a light stemmer applies each rule as its pattern says", () => {
  for (const rule of RULES) {
    const stem = lightStemmer([rule], 1);
    for (const word of [...words("abcw", 4), ...words("abc", 2)]) {
      assertEquals(stem(word), word.replace(...rule) || word, `${rule[0]} of ${word}`);
    }
  }
});
