import { WORD_CHARACTERS } from "../../../analysis/mod.ts";

/** Matches a character of a word. */
const WORD_CHARACTER = new RegExp(`[${WORD_CHARACTERS}]`, "u");
const ASCII_WORD = /^[a-z0-9]+$/;
/** ASCII characters other than letters and digits, in a class. */
const ASCII_BOUNDARY = "\\x00-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7f";

/** Whether a text in lower case contains a whole word. */
export function containsWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (!isWordCharacter(text, at - 1) && !isWordCharacter(text, at + word.length)) return true;
  }
  return false;
}

/** Whether a text in any case contains a whole word in lower case, between other ASCII characters, which no analysis joins. */
export function containsPlainWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (isBoundary(text, at - 1) && isBoundary(text, at + word.length)) return true;
  }
  return false;
}

/** A number with decimals. Not a date such as 14.3.2026, a version or an address. */
const DECIMAL = /^\d+[.,]\d+$/;
/** Maximum number of characters on each side of a number that are compared. */
const MAX_AROUND = 20;
const NUMBER_CHARACTERS = "[\\p{L}\\p{N}.,:/_-]*";
const BEFORE = new RegExp(`${NUMBER_CHARACTERS}$`, "u");
const AFTER = new RegExp(`^${NUMBER_CHARACTERS}`, "u");

/**
 * Whether a text contains a number only as a part of numbers with decimals or separators: `123` in `123.3`, but not in
 * `123` and `14.3.123`. False for a text without it.
 *
 * @param digits ASCII digits.
 */
export function isOnlyInDecimals(text: string, digits: string): boolean {
  let isFound = false;
  for (let at = text.indexOf(digits); at >= 0; at = text.indexOf(digits, at + digits.length)) {
    if (isWordCharacter(text, at - 1) || isWordCharacter(text, at + digits.length)) continue;
    if (!isInDecimal(text, at, at + digits.length)) return false;
    isFound = true;
  }
  return isFound;
}

/** Whether what is at some offsets of a text is the first or second part of a number with decimals. */
function isInDecimal(text: string, start: number, end: number): boolean {
  const [before = ""] = BEFORE.exec(text.slice(Math.max(0, start - MAX_AROUND), start)) ?? [];
  const [after = ""] = AFTER.exec(text.slice(end, end + MAX_AROUND)) ?? [];
  const number = before + text.slice(start, end) + after;
  return DECIMAL.test(number.replace(/^[.,:/_-]+/, "").replace(/(?<![.,:/_-])[.,:/_-]+$/, ""));
}

/**
 * Returns a pattern for texts in any case that contain words in lower case in sequence, with only other ASCII characters
 * around and between them, which no analysis joins. It is faster than to normalize the texts, but does not match all of
 * these texts. Undefined: a word is not of ASCII letters and digits.
 */
export function plainPhrase(words: readonly string[]): RegExp | undefined {
  if (words.length === 0 || !words.every((word) => ASCII_WORD.test(word))) return undefined;
  return new RegExp(
    `(?:^|[${ASCII_BOUNDARY}])${words.join(`[${ASCII_BOUNDARY}]+`)}(?:[${ASCII_BOUNDARY}]|$)`,
    "i",
  );
}

/** Whether an offset is outside of a text, or that of an ASCII character other than a letter or digit. */
function isBoundary(text: string, offset: number): boolean {
  if (offset < 0 || offset >= text.length) return true;
  const code = text.charCodeAt(offset);
  const isLetter = (code | 32) >= 97 && (code | 32) <= 122;
  return code < 128 && !isLetter && !(code >= 48 && code <= 57);
}

/** Whether the code unit at an offset of a text in lower case belongs to a word. */
function isWordCharacter(text: string, offset: number): boolean {
  const code = text.charCodeAt(offset);
  if (code < 128) return (code >= 97 && code <= 122) || (code >= 48 && code <= 57);
  // A letter outside of the Basic Multilingual Plane; other characters there are separated by spaces.
  if ((code & 0xf800) === 0xd800) return true;
  return WORD_CHARACTER.test(text[offset] ?? "");
}

/**
 * Returns whether a text contains words in sequence, with only other characters between them.
 *
 * @param text Text in lower case.
 * @param words Words of characters that the index keeps.
 */
export function containsPhrase(text: string, words: readonly string[]): boolean {
  const [first = ""] = words;
  for (let at = text.indexOf(first); at >= 0; at = text.indexOf(first, at + 1)) {
    if (!isWordBefore(text, at) && isPhraseAt(text, at, words)) return true;
  }
  return false;
}

function isPhraseAt(text: string, start: number, words: readonly string[]): boolean {
  let at = start;
  for (const [index, word] of words.entries()) {
    if (index > 0) {
      const gap = at;
      while (at < text.length && !isWordAt(text, at)) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
      if (at === gap) return false;
    }
    if (!text.startsWith(word, at)) return false;
    at += word.length;
  }
  return !isWordAt(text, at);
}

/** Whether the character at an offset of a text in lower case belongs to a word. */
function isWordAt(text: string, offset: number): boolean {
  const code = text.charCodeAt(offset);
  if (code < 128) return isWordCharacter(text, offset);
  return offset < text.length && WORD_CHARACTER.test(String.fromCodePoint(text.codePointAt(offset) ?? 0));
}

/** Whether the character before an offset belongs to a word. */
function isWordBefore(text: string, offset: number): boolean {
  if (offset === 0) return false;
  if (text.charCodeAt(offset - 1) < 128) return isWordCharacter(text, offset - 1);
  const isPair = (text.codePointAt(offset - 2) ?? 0) > 0xffff;
  return isWordAt(text, offset - (isPair ? 2 : 1));
}
