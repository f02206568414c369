import { normalizeForSearch, stems } from "../../analysis/mod.ts";
import type { SearchResult } from "../../contract/mod.ts";
import { editDistance, lazy } from "../../text/mod.ts";
import type { QueryTerm } from "./query_terms.ts";

/** A spelling correction: a word of the query that no chunk contains, and the index term to use instead. */
export interface Correction {
  readonly word: string;
  readonly term: string;
  /** Words that may have been meant, all with this term; empty if unknown. */
  readonly spellings: readonly string[];
  /** Weight of the term. */
  readonly weight: number;
}

/** A spelling correction as the response reports it. */
export interface ReportedCorrection {
  readonly word: string;
  /** Word that the results contain. */
  readonly used: string;
}

/** Number of letters at the end of a word that a misspelled word and its correction share. */
const SHARED_ENDING_CHARS = 3;

/** Returns the corrections of a search that its results contain, with the words as they spell them. */
export function reportCorrections(
  corrections: readonly Correction[],
  { results, terms }: { readonly results: readonly SearchResult[]; readonly terms: readonly QueryTerm[] },
): ReportedCorrection[] {
  if (results.length === 0) return [];
  const texts = results.flatMap((
    { text, title, heading_path },
  ) => [text, title ?? "", ...heading_path ?? []]);
  const reported = new Map<string, ReportedCorrection>();
  const normalized = lazy(() => normalizeForSearch(texts.join("\n")).toLowerCase());
  for (const correction of corrections) {
    const used = spellingOf(correction, normalized());
    if (used !== undefined) reported.set(`${correction.word} ${used}`, { word: correction.word, used });
  }
  for (const { word, term, spellings } of corrections) {
    if (![...reported.values()].some((known) => known.word === word)) {
      // The stem is mostly no word.
      reported.set(word, { word, used: spellings[0] ?? term });
    }
  }
  return [...reported.values(), ...misspellings(terms, texts)];
}

const WORD = /^[\p{L}\p{N}\p{M}]+$/u;
const WORD_FROM = /[\p{L}\p{N}\p{M}]+/uy;
const WORD_CHARACTER = /^[\p{L}\p{N}\p{M}]/u;

/** Returns the one of some words that is the first in a text. */
function firstWordOf(text: string, words: readonly string[]): string | undefined {
  let first: string | undefined;
  let end = Infinity;
  for (const word of words) {
    const at = indexOfWord(text, word);
    if (at < 0 || at >= end) continue;
    first = word;
    end = at;
  }
  return first;
}

function indexOfWord(text: string, word: string): number {
  if (!WORD.test(word)) return -1;
  const isInside = (start: number, end: number) =>
    isWordBefore(text, start) || WORD_CHARACTER.test(text.slice(end, end + 2));
  let at = text.indexOf(word);
  while (at >= 0 && isInside(at, at + word.length)) at = text.indexOf(word, at + 1);
  return at;
}

/** Whether the character before an offset is of a word. It may be a surrogate pair. */
function isWordBefore(text: string, at: number): boolean {
  const isPair = at > 1 && (text.codePointAt(at - 2) ?? 0) > 0xffff;
  return at > 0 && WORD_CHARACTER.test(text.slice(isPair ? at - 2 : at - 1, at));
}

/**
 * Returns the first word of a text that the correction may have meant, or else that has its term.
 *
 * @param text Normalized text in lower case.
 */
export function spellingOf(
  { term, spellings }: Pick<Correction, "term" | "spellings">,
  text: string,
): string | undefined {
  const meant = firstWordOf(text, spellings);
  if (meant !== undefined) return meant;
  const candidates = wordsWithPrefix(text, [...term].slice(0, 3).join(""));
  const index = stems(candidates).findIndex(([stem]) => stem === term);
  return candidates[index];
}

/** Returns the distinct words of a text with a prefix, in order. */
function wordsWithPrefix(text: string, prefix: string): string[] {
  const found = new Set<string>();
  if (!WORD.test(prefix)) return [];
  for (let at = text.indexOf(prefix); at >= 0; at = text.indexOf(prefix, at + 1)) {
    if (isWordBefore(text, at)) continue;
    WORD_FROM.lastIndex = at;
    found.add(WORD_FROM.exec(text)?.[0] ?? prefix);
  }
  return [...found];
}

/**
 * Returns the misspelled words of a query that match by their stem ("embeding"): no text contains the word,
 * but one contains a word with the same stem and ending at edit distance 1.
 */
function misspellings(terms: readonly QueryTerm[], texts: readonly string[]): ReportedCorrection[] {
  const found: ReportedCorrection[] = [];
  // One by one: the first results contain most words.
  const lowerTexts: string[] = [];
  const lower = (text: string, at: number) => lowerTexts[at] ??= text.toLowerCase();
  for (const { words: [word = ""], weight } of terms) {
    if (weight < 1 || word.length < 2 * SHARED_ENDING_CHARS || !/^[a-z]+$/.test(word)) continue;
    if (texts.some((text, at) => lower(text, at).includes(word))) continue;
    const candidates = new Set(
      texts.flatMap((text, at) => similarWords(lower(text, at), word))
        .filter((candidate) => editDistance([...word], [...candidate], 1) === 1),
    );
    if (candidates.size === 0) continue;
    const [stem] = stems([word]).flat();
    const used = [...candidates].find((candidate) => stems([candidate]).flat()[0] === stem);
    if (used !== undefined) found.push({ word, used });
  }
  return found;
}

/** Returns the words of letters with the first letter and the ending of a word, and nearly its length. */
function similarWords(text: string, word: string): string[] {
  const found: string[] = [];
  const ending = word.slice(-SHARED_ENDING_CHARS);
  for (let at = text.indexOf(ending); at >= 0; at = text.indexOf(ending, at + 1)) {
    const end = at + ending.length;
    if (isLetter(text, end)) continue;
    let start = at;
    while (end - start <= word.length + 1 && isLetter(text, start - 1)) start--;
    const isSimilar = text[start] === word[0] && Math.abs(end - start - word.length) <= 1;
    if (isSimilar) found.push(text.slice(start, end));
  }
  return found;
}

function isLetter(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 97 && code <= 122;
}
