import { normalizeUnicode } from "../text/mod.ts";
import { codeParts, grams, joinedWords, PAIRED_SCRIPTS, TRIPLED_SCRIPTS } from "./parts.ts";

/**
 * Normalisation of text for the full-text index. The same function prepares what is indexed and what is asked, so
 * that two spellings of one word meet; what it leaves to FTS5 is only cutting at spaces, ASCII case and stemming.
 */

// deno-lint-ignore no-control-regex -- NUL is replaced below, every other ASCII character is left alone.
const NEEDS_WORK = /[^\u0001-\u007f]/;

/**
 * Not part of any word: NUL and U+FFFD (also what a lone surrogate becomes), and the trade mark signs, which
 * NFKD would glue to the word before them as the letters "TM" and "SM".
 */
// deno-lint-ignore no-control-regex -- NUL is the point.
const SEPARATORS = /[\u0000\ufffd™℠]/g;

/**
 * Marks that people leave out, and characters that nobody sees: combining diacritics of Latin, Greek and Cyrillic,
 * Hebrew points, Arabic vowel signs and tatweel, soft hyphen, zero-width and bidi controls, variation selectors
 * (Unicode's Default_Ignorable_Code_Point). Indic and Thai vowel signs are letters in all but name and stay, as do the kana
 * voicing marks, which the composition afterwards puts back.
 */
const UNSEEN =
  /[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]|\p{Default_Ignorable_Code_Point}/gu;

/** Letters of one's own to Unicode, but typed as ASCII by whoever has no key for them (after lower-casing). */
const LETTERS: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ð: "d",
  ħ: "h",
  ı: "i",
  ł: "l",
  ŋ: "n",
  þ: "th",
  ŧ: "t",
  ς: "σ",
};
const FOLDED = new RegExp(`[${Object.keys(LETTERS).join("")}]`, "g");

/**
 * Characters that become a token each, as the inside of a character class. These scripts put no space between words, so a word
 * is found as a phrase of its characters, in any sentence, at any length; Hangul is with them because its particles stick to
 * the noun. Symbols (emoji among them) stand alone so that a row of them, or one beside a word, is found too.
 */
export const ALONE = PAIRED_SCRIPTS + TRIPLED_SCRIPTS +
  "\\p{So}\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\p{Regional_Indicator}";
const EACH_ALONE = new RegExp(`[${ALONE}]`, "gu");

/**
 * Normalises text for the full-text index and for a query against it.
 *
 * ASCII comes back as it is (the tokenizer folds its case). Anything else is decomposed (NFKD), loses diacritics and
 * invisible characters, is composed again (so the result is NFKC), lower-cased, has letters such as `ß` and `ø` spelled in
 * ASCII, and has every CJK, Thai or similar character and every emoji put between spaces. The result is well-formed UTF-16 without
 * NUL, whatever came in, and at most about 20 times as long (U+FDFA alone expands to 18 characters).
 *
 * @param text Any string, lone surrogates included.
 *
 * @example
 * ```ts
 * import { searchForm } from "./analyze.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(searchForm("Crème brûlée in Straße"), "creme brulee in strasse");
 * assertEquals(searchForm("東京 tower").split(" ").filter(Boolean), ["東", "京", "tower"]);
 * ```
 */
export function searchForm(text: string): string {
  return NEEDS_WORK.test(text) ? fold(text).replace(EACH_ALONE, " $& ") : text;
}

/**
 * What the index has for a text: the text, normalised, and behind it the parts of its words that are to be found by
 * themselves. They stand behind it so that words which follow one another in the text still do.
 *
 * @example
 * ```ts
 * import { toSearchText } from "./analyze.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(toSearchText("call getUserName()"), "call getUserName()\nget user name");
 * ```
 */
export function toSearchText(text: string): string {
  const isPlain = !NEEDS_WORK.test(text);
  const folded = isPlain ? text : fold(text);
  const normalized = isPlain ? text : folded.replace(EACH_ALONE, " $& ");
  const names = [...codeParts(text).map((words) => words.join(" ")), ...joinedWords(text)].join("\n");
  const parts = [searchForm(names), ...(isPlain ? [] : grams(folded))].filter((each) => each !== "");
  return parts.length === 0 ? normalized : `${normalized}\n${parts.join("\n")}`;
}

/** Everything but setting characters apart. */
function fold(text: string): string {
  const decomposed = normalizeUnicode(text.toWellFormed().replace(SEPARATORS, " "), "NFKD");
  return normalizeUnicode(decomposed.replace(UNSEEN, ""), "NFC")
    .toLowerCase()
    .replace(FOLDED, (letter) => LETTERS[letter] ?? letter);
}
