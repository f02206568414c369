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

/** Latin letters, punctuation, currency signs, arrows, operators and shapes. Combining marks and other scripts are in none. */
const RANGES: readonly (readonly [number, number])[] = [
  [0xa0, 0x24f],
  [0x1e00, 0x1eff],
  [0x2010, 0x2027],
  [0x2030, 0x205e],
  [0x20a0, 0x20bf],
  [0x2190, 0x22ff],
  [0x2500, 0x25ff],
];
const CODES = 0x2600;

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
// deno-lint-ignore no-control-regex -- excludes ASCII without NUL
const NEEDS_TABLES = /[^\u0001-\u007f]/;

/** Whether all characters of a text are ASCII other than NUL, or in the tables. */
export function isLatin(text: string): boolean {
  return !NEEDS_TABLES.test(text) || !latinTables().other.test(text);
}

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

const asciiTables = lazy(() => {
  const { folded, kinds } = latinTables();
  const letters = new Map<string, string>();
  for (const [character, spelling] of folded) {
    const letter = spelling.trim();
    if (/^[a-z0-9]$/.test(letter)) letters.set(character, letter);
    // A soft hyphen is inside of a word, and the sign for rupees is spelled with letters.
    else if (kinds[character.charCodeAt(0)] === 0 && /^[^a-z0-9]+$/.test(spelling)) {
      letters.set(character, " ");
    }
  }
  return { letters, other: new RegExp(`[^\\u0000-\\u007f${[...letters.keys()].join("")}]`) };
});

/**
 * Returns a text of the same length with the same words in lower-case ASCII, to find words in it at their offsets.
 * Undefined if a word has a character that no single ASCII character replaces.
 */
export function asciiWords(text: string): string | undefined {
  if (!NEEDS_TABLES.test(text)) return text.toLowerCase();
  const { letters, other } = asciiTables();
  if (other.test(text)) return undefined;
  return text.replace(NOT_ASCII, (character) => letters.get(character) as string).toLowerCase();
}
