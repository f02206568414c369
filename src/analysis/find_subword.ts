import { greekSubwords } from "./greek_letters.ts";
import { SEPARATORS } from "./latin_names.ts";
import { latinTables, LETTER, LOWER, NUMBER } from "./latin_text.ts";
import { normalizeForSearch } from "./normalize.ts";
import { mayHaveSymbolName, subwordLines, SYMBOL_NAME_END } from "./subwords.ts";

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
/** Two letters between which no subword starts or ends. Other letters may be spelled with a separator (`ŀ`). */
const INSIDE_LOWER = /^[a-z]{2}$/;
/** A longer run of names is base64 or similar data, of which all subwords are found only once. */
const MAX_NAME_CHARS = 200;
/** Maximum length of a part of a compound: 20 characters, most of which have a spelling of up to three letters. */
const MAX_PART_CHARS = 80;

/**
 * Whether the subwords of a text in lower case contain a word. Undefined if only finding all of them can tell.
 *
 * @param word Normalized word in lower case that is none of the words of the text.
 *
 * @example
 * ```ts
 * import { findSubword } from "./find_subword.ts";
 * import { assertEquals } from "@std/assert";
 * const searched = { text: "Information of getUserName", words: "information of getusername", isAligned: true };
 * assertEquals(["form", "user", "group"].map((word) => findSubword(searched, word)), [false, true, false]);
 * ```
 */
export function findSubword(searched: SearchableText, word: string): boolean | undefined {
  const { text, words, isAligned } = searched;
  // N-grams join characters that the words separate.
  if (!ASCII_WORD.test(word)) {
    return HAS_SYMBOL.test(word) || !words.includes(firstCharacter(word)) ? false : undefined;
  }
  if (SYMBOL_NAME_END.test(word) && mayHaveSymbolName(text) || greekSubwords(text).length > 0) {
    return undefined;
  }
  if (!isAligned) {
    return mayBePartOfName(searched, word) || isJoined(searched, word) !== false ? undefined : false;
  }
  const isPart = isPartOfName(searched, word);
  return isPart === false ? isJoined(searched, word) : isPart;
}

function firstCharacter(word: string): string {
  return String.fromCodePoint(word.codePointAt(0) ?? 0);
}

/** Whether a word is a subword where it occurs in the text. */
function isPartOfName({ text, words }: SearchableText, word: string): boolean | undefined {
  let known = 0;
  for (let at = words.indexOf(word); at >= 0; at = words.indexOf(word, at + 1)) {
    const end = at + word.length;
    // A subword does not start or end between two lower-case letters.
    if (isLower(text, at - 1) && isLower(text, at) || isLower(text, end - 1) && isLower(text, end)) continue;
    if (at < known) continue;
    const names = namesAround(text, at);
    const found = isSubwordOf(names, word);
    if (found !== false) return found;
    known = names.end;
  }
  return false;
}

/** Whether a word may be a subword where it occurs in a text whose words have other offsets. */
function mayBePartOfName({ text, words }: SearchableText, word: string): boolean {
  const count = countOf(words, word);
  if (count === 0) return false;
  const lower = text.toLowerCase();
  // Other characters may be spelled in ASCII: `ﬁ`.
  if (lower.length !== text.length || countOf(lower, word) !== count) return true;
  for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + 1)) {
    const end = at + word.length;
    const isInside = INSIDE_LOWER.test(text.slice(at - 1, at + 1)) ||
      INSIDE_LOWER.test(text.slice(end - 1, end + 1));
    if (!isInside) return true;
  }
  return false;
}

function countOf(text: string, word: string): number {
  let count = 0;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) count++;
  return count;
}

/** Words that are joined by separators, and where they end in their text. */
interface JoinedNames {
  readonly names: string;
  readonly end: number;
}

function namesAround(text: string, offset: number): JoinedNames {
  let start = offset;
  while (isNamePart(text, start - 1)) start--;
  let end = offset;
  while (isNamePart(text, end)) end++;
  return { names: text.slice(start, end), end };
}

function isSubwordOf({ names }: JoinedNames, word: string): boolean | undefined {
  if (names.length > MAX_NAME_CHARS) return undefined;
  const subwords = normalizeForSearch(subwordLines(names).join("\n")).toLowerCase();
  return subwords.split(/[^a-z0-9]+/).includes(word);
}

function isNamePart(text: string, at: number): boolean {
  const kind = latinTables().kinds[text.charCodeAt(at)] ?? 0;
  return (kind & (LETTER | NUMBER)) !== 0 ||
    (SEPARATORS as readonly (string | undefined)[]).includes(text[at]);
}

function isLower(text: string, at: number): boolean {
  return ((latinTables().kinds[text.charCodeAt(at)] ?? 0) & LOWER) !== 0;
}

/** Whether a word is a subword that joins two words of the text. */
function isJoined({ text, words, isAligned }: SearchableText, word: string): boolean | undefined {
  if (word.length > 2 * MAX_PART_CHARS) return false;
  for (const separator of SEPARATORS) {
    let known = 0;
    for (let at = words.indexOf(separator); at >= 0; at = words.indexOf(separator, at + 1)) {
      if (at < known || !isJoinedAt(words, at, word)) continue;
      if (!isAligned) return undefined;
      const names = namesAround(text, at);
      const found = isSubwordOf(names, word);
      if (found !== false) return found;
      known = names.end;
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
