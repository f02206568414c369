import { greekSubwords } from "./greek_letters.ts";
import { SEPARATORS } from "./latin_names.ts";
import { latinTables, LOWER } from "./latin_text.ts";
import { mayHaveSymbolName, SYMBOL_NAME_END } from "./subwords.ts";

/*
 * The words of a query are mostly in a text itself, or in no part of it. Finding its subwords to know the latter
 * takes 20 times as long as these tests: subwords are parts of the text's words, or join two of them.
 */

/** A text in which words are looked up. */
export interface SearchableText {
  /** Original text; capitals mark the boundaries of subwords. */
  readonly text: string;
  /** The text in lower case: as `asciiWords` returns it, or normalized. */
  readonly words: string;
  /** Whether both have the same offsets, because `asciiWords` returned the words. */
  readonly isAligned: boolean;
}

const ASCII_WORD = /^[a-z0-9]+$/;
/** Subwords consist of letters and digits. */
const HAS_SYMBOL = /[^a-z0-9\u0080-\uffff]/;
/** Maximum length of a part of a compound: 20 characters, most of which have a spelling of up to three letters. */
const MAX_PART_CHARS = 80;

/**
 * Whether the subwords of a text in lower case may contain a word: false without finding them.
 *
 * @param word Normalized word in lower case that is none of the words of the text.
 *
 * @example
 * ```ts
 * import { mayHaveSubword } from "./may_have_subword.ts";
 * import { assertEquals } from "@std/assert";
 * const searched = { text: "Information of getUserName", words: "information of getusername", isAligned: true };
 * assertEquals(["form", "user", "group"].map((word) => mayHaveSubword(searched, word)), [false, true, false]);
 * ```
 */
export function mayHaveSubword({ text, words, isAligned }: SearchableText, word: string): boolean {
  // N-grams join characters that the words separate.
  if (!ASCII_WORD.test(word)) return !HAS_SYMBOL.test(word) && words.includes(firstCharacter(word));
  return (isAligned ? isPartOfName(text, words, word) : words.includes(word)) ||
    isJoined(words, word) ||
    SYMBOL_NAME_END.test(word) && mayHaveSymbolName(text) ||
    greekSubwords(text).length > 0;
}

function firstCharacter(word: string): string {
  return String.fromCodePoint(word.codePointAt(0) ?? 0);
}

/** Whether a word occurs where a subword may start and end: not between two lower-case letters. */
function isPartOfName(text: string, words: string, word: string): boolean {
  for (let at = words.indexOf(word); at >= 0; at = words.indexOf(word, at + 1)) {
    const end = at + word.length;
    if (!(isLower(text, at - 1) && isLower(text, at)) && !(isLower(text, end - 1) && isLower(text, end))) {
      return true;
    }
  }
  return false;
}

function isLower(text: string, at: number): boolean {
  return ((latinTables().kinds[text.charCodeAt(at)] ?? 0) & LOWER) !== 0;
}

/** Whether a word occurs with a separator inside of it. */
function isJoined(words: string, word: string): boolean {
  if (word.length > 2 * MAX_PART_CHARS) return false;
  for (const separator of SEPARATORS) {
    for (let at = words.indexOf(separator); at >= 0; at = words.indexOf(separator, at + 1)) {
      if (isJoinedAt(words, at, word)) return true;
    }
  }
  return false;
}

function isJoinedAt(words: string, separator: number, word: string): boolean {
  const [last, next] = [words.charCodeAt(separator - 1), words.charCodeAt(separator + 1)];
  for (let length = 1; length < word.length; length++) {
    if (word.charCodeAt(length - 1) !== last || word.charCodeAt(length) !== next) continue;
    if (
      words.startsWith(word.slice(length), separator + 1) && words.endsWith(word.slice(0, length), separator)
    ) return true;
  }
  return false;
}
