import { lazy, normalizeUnicode } from "../text/mod.ts";
import { BIGRAM_SCRIPTS, TRIGRAM_SCRIPTS } from "./scripts.ts";

/**
 * Characters to replace with a space: NUL, U+FFFD (which also replaces a lone surrogate), {@linkcode DERIVED_PREFIX},
 * and the trade mark signs, which NFKD would append to the preceding word as the letters "TM" and "SM".
 */
// deno-lint-ignore no-control-regex -- matches NUL
const SEPARATORS = /[\u0000\ufffd\ue000™℠]/g;

/**
 * Optional marks and invisible characters to remove: combining diacritics of Latin, Greek and Cyrillic,
 * Hebrew points, Arabic vowel signs and tatweel, and Unicode's Default_Ignorable_Code_Point (soft hyphen,
 * zero-width and bidi controls, variation selectors). Indic and Thai vowel signs are kept because they
 * distinguish words, and so are kana voicing marks, which the composition to NFC restores.
 */
const removedCharacters = lazy(() =>
  /[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]|\p{Default_Ignorable_Code_Point}/gu
);

/** ASCII spellings of lower-case letters that NFKD does not decompose. */
const ASCII_SPELLINGS: Readonly<Record<string, string>> = {
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
const HAS_ASCII_SPELLING = new RegExp(`[${Object.keys(ASCII_SPELLINGS).join("")}]`, "g");

/**
 * Characters that are a token each, as the inside of a character class. Most of these scripts put no space
 * between words, so a phrase of characters finds a word of any length in any sentence. Hangul is included
 * because particles are attached to the noun. Symbols and emoji are included so that they match in a sequence
 * or next to a word.
 */
export const SINGLE_CHARACTER_TOKENS = BIGRAM_SCRIPTS + TRIGRAM_SCRIPTS +
  "\\p{So}\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\p{Regional_Indicator}";
const singleCharacterToken = lazy(() => new RegExp(`[${SINGLE_CHARACTER_TOKENS}]`, "gu"));

/** Puts spaces around every character that is a token. */
export function separateTokens(folded: string): string {
  return folded.replace(singleCharacterToken(), " $& ");
}

/** Decomposes, strips, composes and lower-cases text, and spells letters such as `ß` in ASCII. */
export function fold(text: string): string {
  const decomposed = normalizeUnicode(text.toWellFormed().replace(SEPARATORS, " "), "NFKD");
  return normalizeUnicode(decomposed.replace(removedCharacters(), ""), "NFC")
    .toLowerCase()
    .replace(HAS_ASCII_SPELLING, (letter) => ASCII_SPELLINGS[letter] ?? letter);
}
