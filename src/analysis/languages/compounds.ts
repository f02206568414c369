import { DERIVED_PREFIX, REVERSED_PREFIX } from "./prefix.ts";

/*
 * Compounds of languages that write them as one word: "Mietvertrag" is found by its tail, "Vertrag", and by its
 * head, "Miete". Long words derive their stem in reverse, so that the words with a tail are a range of terms.
 */

const LANGUAGES: ReadonlySet<string> = new Set(["da", "de", "fi", "nl", "no", "sv"]);
/** Minimum length of a compound. */
const MIN_COMPOUND_CHARS = 9;
/** Minimum length of the word, and of the stem, that is searched for as the tail of a compound. */
const MIN_TAIL_CHARS = 5;
const MIN_TAIL_STEM_CHARS = 4;
/** Minimum length of the stem that is searched for as the head of a compound: shorter ones are often prefixes. */
const MIN_HEAD_CHARS = 6;

/** Prefixes of the derived terms of the compounds that contain a word. */
export interface CompoundPrefixes {
  /** Prefix of the terms of compounds that end with the word, if it is long enough. */
  readonly tail?: string;
  /** Prefix of the terms of compounds that start with the word, if it is long enough. */
  readonly head?: string;
}

/** Returns the prefixes of a compound that are set. */
export function prefixesOf({ tail, head }: CompoundPrefixes): string[] {
  return [tail, head].filter((prefix) => prefix !== undefined);
}

/** Whether a language has compounds. */
export function hasCompounds(language: string): boolean {
  return LANGUAGES.has(language);
}

/** Returns the derived terms of a word with these stems, if it may be a compound. */
export function compoundTerms(word: string, stems: readonly string[], language: string): string[] {
  if (!hasCompounds(language) || word.length < MIN_COMPOUND_CHARS) return [];
  return stems.map((stem) => REVERSED_PREFIX + language + reverse(stem));
}

/** Returns the prefixes of the terms of compounds that contain a word with these stems. */
export function compoundPrefixes(
  word: string,
  stems: readonly string[],
  language: string,
): CompoundPrefixes[] {
  if (!hasCompounds(language)) return [];
  const found: CompoundPrefixes[] = [];
  for (const stem of stems) {
    const isTail = word.length >= MIN_TAIL_CHARS && stem.length >= MIN_TAIL_STEM_CHARS;
    const isHead = stem.length >= MIN_HEAD_CHARS;
    const tail = isTail ? { tail: REVERSED_PREFIX + language + reverse(stem) } : undefined;
    if (isHead) found.push({ ...tail, head: DERIVED_PREFIX + language + stem });
    else if (tail) found.push(tail);
  }
  return found;
}

function reverse(text: string): string {
  let reversed = "";
  for (const character of text) reversed = character + reversed;
  return reversed;
}
