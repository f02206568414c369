import { assert, assertEquals } from "@std/assert";
import { fold, separateTokens } from "../../src/analysis/fold.ts";
import { latinNames, splitLatin } from "../../src/analysis/latin_names.ts";
import { asciiWords, foldLatin, latinTables } from "../../src/analysis/latin_text.ts";
import { normalizeForSearch } from "../../src/analysis/normalize.ts";

const { other, folded } = latinTables();
const ASCII = "aBz 09-._XyZÉ\n";
const SAMPLES = 3000;
const LENGTH = 24;

/** Deterministic texts of letters, digits, joints and each character of the tables. */
function* texts(): Generator<string> {
  const characters = [...folded.keys()];
  let seed = 1;
  const below = (n: number) => (seed = (seed * 48271) % 0x7fffffff) % n;
  for (let i = 0; i < SAMPLES; i++) {
    yield Array.from(
      { length: LENGTH },
      () => below(4) === 0 ? characters[below(characters.length)] : ASCII[below(ASCII.length)],
    ).join("");
  }
  for (const length of [19, 20, 21, 22]) {
    const part = "x".repeat(length);
    yield* [`${part}-b`, `a.${part}`, `a_b-${part}`, `${part}.b.c`, `-${part}-b-`, `é.${part}_`];
  }
}

Deno.test("characters are folded by themselves as Unicode normalization folds the text", () => {
  for (const text of texts()) assertEquals(foldLatin(text), separateTokens(fold(text)), text);
});

Deno.test("the tables have letters with accents and punctuation, and no marks or other scripts", () => {
  assertEquals(other.test("naïve “Łódź” – 5 €, x² © ½"), false);
  for (const text of ["e\u0301", "αβγ", "東京", "\0", "\ud800", "™", "👍"]) {
    assertEquals(other.test(text), true, text);
  }
});

Deno.test("words with mixed case or digits are those of the Unicode classes", () => {
  const boundaries =
    /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll}{2})|(?<=\p{L}{2})(?=\p{N})|(?<=\p{N})(?=\p{L}{2})/u;
  const digits = /(?<=\p{L}{2})(?=\p{N})|(?<=\p{N})(?=\p{L}{2})/u;
  const mixed = /[\p{Ll}\p{N}]\p{Lu}|\p{Lu}{2}\p{Ll}{2}|\p{L}{2}\p{N}|\p{N}\p{L}{2}/u;
  for (const text of texts()) {
    const expected = (text.match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => mixed.test(word));
    assertEquals(latinNames(text).mixed, expected, text);
    for (const word of expected) {
      assertEquals(splitLatin(word), [word.split(boundaries), word.split(digits)], word);
    }
  }
});

Deno.test("compounds are those of the Unicode classes", () => {
  const compounds =
    /(?<![\p{L}\p{N}][-_.]?)([\p{L}\p{N}]{1,20})[-_.]([\p{L}\p{N}]{1,20})(?![-_.]?[\p{L}\p{N}])/gu;
  for (const text of texts()) {
    const expected = Array.from(
      text.matchAll(compounds),
      ([, first = "", second = ""]) => [first, second] as const,
    );
    assertEquals(latinNames(text).compounds, expected, text);
  }
});

Deno.test("the words in ASCII are those of the Unicode classes, at the same offsets", () => {
  const find = (text: string, words: RegExp) =>
    Array.from(text.matchAll(words), ({ 0: word, index }) => ({ word, index }));
  let count = 0;
  for (const text of texts()) {
    const ascii = asciiWords(text);
    if (ascii === undefined) continue;
    count++;
    const expected = find(text, /[\p{L}\p{N}\p{M}\p{Cf}]+/gu)
      .map(({ word, index }) => ({ word: normalizeForSearch(word).toLowerCase().trim(), index }));
    assertEquals(find(ascii, /[a-z0-9]+/g), expected, text);
    assertEquals(ascii.length, text.length);
  }
  assert(count > SAMPLES / 20, `${count}`);
  assertEquals(["Crème “x²” – 5 €", "Straße", "so\u00adft", "5₨", "東京"].map(asciiWords), [
    "creme  x2    5  ",
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
