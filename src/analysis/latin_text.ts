import { lazy } from "../text/mod.ts";
import { fold, separateTokens } from "./fold.ts";
import { BIGRAM_SCRIPTS, TRIGRAM_SCRIPTS } from "./scripts.ts";

/*
 * Most text is ASCII with a few other characters: letters with accents, quotation marks, dashes. Each of them is
 * folded by itself, so that tables replace Unicode normalization and Unicode classes, which take ten times as long.
 */

/** Kinds of characters: bits of {@linkcode LatinTables.kinds}. */
export const LETTER = 1;
/** Lower-case letter. */
export const LOWER = 2;
/** Upper-case letter. */
export const UPPER = 4;
/** Digit, or another character of a number. */
export const NUMBER = 8;

/** Tables of the characters that are folded by themselves. */
export interface LatinTables {
  /** Matches any character that is in no table. */
  readonly other: RegExp;
  /** Folded form of each character that is not ASCII, with spaces around tokens of one character. */
  readonly folded: ReadonlyMap<string, string>;
  /** Kinds of all characters, by code. */
  readonly kinds: Uint8Array;
}

/** Latin letters, punctuation and currency signs. Combining marks and other scripts are in none. */
const RANGES: readonly (readonly [number, number])[] = [
  [0xa0, 0x24f],
  [0x1e00, 0x1eff],
  [0x2010, 0x2027],
  [0x2030, 0x205e],
  [0x20a0, 0x20bf],
];
const CODES = 0x20c0;

/** The tables. */
export const latinTables: () => LatinTables = lazy(() => {
  const folded = new Map<string, string>();
  const kinds = new Uint8Array(CODES);
  for (let code = 1; code < 0x80; code++) kinds[code] = kindOf(String.fromCharCode(code));
  for (const [first, last] of RANGES) {
    for (let code = first; code <= last; code++) {
      const character = String.fromCharCode(code);
      const result = fold(character);
      // A mark would be composed with the character before it; n-grams span characters.
      if (dependent().test(character) || dependent().test(result)) continue;
      folded.set(character, separateTokens(result));
      kinds[code] = kindOf(character);
    }
  }
  return { other: new RegExp(`[^\\u0001-\\u007f${[...folded.keys()].join("")}]`), folded, kinds };
});

const dependent = lazy(() =>
  new RegExp(`\\p{M}|[[${BIGRAM_SCRIPTS}${TRIGRAM_SCRIPTS}]&&[\\p{L}\\p{N}\\p{So}]]`, "v")
);

// deno-lint-ignore no-control-regex -- excludes ASCII
const NOT_ASCII = /[^\u0000-\u007f]/g;

/**
 * Folds text, as `fold` and `separateTokens` do.
 *
 * @param text Text whose characters are all in the tables.
 */
export function foldLatin(text: string): string {
  const { folded } = latinTables();
  return text.replace(NOT_ASCII, (character) => folded.get(character) ?? character).toLowerCase();
}

function kindOf(character: string): number {
  if (/\p{N}/u.test(character)) return NUMBER;
  if (!/\p{L}/u.test(character)) return 0;
  return LETTER | (/\p{Ll}/u.test(character) ? LOWER : 0) | (/\p{Lu}/u.test(character) ? UPPER : 0);
}

/**
 * Returns the words with mixed case after the first letter, or digits next to letters, in the order of the text.
 *
 * @param kinds Table with all characters of the text.
 */
export function mixedLatinWords(text: string, kinds: Uint8Array): string[] {
  const found: string[] = [];
  for (let at = 0; at < text.length; at++) {
    let kind = kinds[text.charCodeAt(at)] as number;
    if (kind === 0) continue;
    const start = at;
    let isMixed = false;
    for (let last = 0, second = 0, third = 0; kind !== 0; kind = kinds[text.charCodeAt(++at)] ?? 0) {
      isMixed ||= (kind & UPPER) !== 0 && (last & (LOWER | NUMBER)) !== 0 ||
        (third & second & UPPER) !== 0 && (last & kind & LOWER) !== 0 ||
        (kind & NUMBER) !== 0 && (second & last & LETTER) !== 0 ||
        (second & NUMBER) !== 0 && (last & kind & LETTER) !== 0;
      third = second;
      second = last;
      last = kind;
    }
    if (isMixed) found.push(text.slice(start, at));
  }
  return found;
}

/** Maximum length of a part of a compound. */
const MAX_PART_CHARS = 20;

/**
 * Returns the words that consist of two parts joined by a hyphen, dot or underscore, with the two parts.
 *
 * @param kinds Table with all characters of the text.
 */
export function latinCompounds(text: string, kinds: Uint8Array): (readonly [string, string])[] {
  const found: (readonly [string, string])[] = [];
  const isWord = (at: number) => (kinds[text.charCodeAt(at)] ?? 0) !== 0;
  const isJoint = (at: number) => isSeparator(text.charCodeAt(at));
  for (let at = 1; at < text.length - 1; at++) {
    if (!isSeparator(text.charCodeAt(at)) || !isWord(at - 1) || !isWord(at + 1)) continue;
    let start = at - 1;
    while (at - start <= MAX_PART_CHARS && isWord(start - 1)) start--;
    let end = at + 2;
    while (end - at <= MAX_PART_CHARS + 1 && isWord(end)) end++;
    const isTooLong = at - start > MAX_PART_CHARS || end - at - 1 > MAX_PART_CHARS;
    // A third part.
    const isLonger = isJoint(start - 1) && isWord(start - 2) || isJoint(end) && isWord(end + 1);
    if (!isTooLong && !isLonger) found.push([text.slice(start, at), text.slice(at + 1, end)]);
  }
  return found;
}

/** Whether a code is that of a hyphen, dot or underscore. */
function isSeparator(code: number): boolean {
  return code === 0x2d || code === 0x2e || code === 0x5f;
}
