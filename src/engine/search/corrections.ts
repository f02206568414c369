import { normalizeForSearch, stems } from "../../analysis/mod.ts";
import type { SearchResult } from "../../contract/mod.ts";
import { editDistance } from "../../text/mod.ts";
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
  const words = corrections.length > 0 ? wordsIn(texts) : [];
  for (const correction of corrections) {
    const used = spellingOf(correction, words);
    if (used !== undefined) reported.set(`${correction.word} ${used}`, { word: correction.word, used });
  }
  for (const { word, term } of corrections) {
    if (![...reported.values()].some((known) => known.word === word)) {
      reported.set(word, { word, used: term });
    }
  }
  return [...reported.values(), ...misspellings(terms, texts)];
}

/** Returns the distinct normalized words of texts, in order. */
export function wordsIn(texts: readonly string[]): string[] {
  const words = normalizeForSearch(texts.join("\n")).toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu);
  return [...new Set(words)];
}

/** Returns the first of the words that the correction may have meant, or that has its term. */
export function spellingOf(
  { term, spellings }: Pick<Correction, "term" | "spellings">,
  words: readonly string[],
): string | undefined {
  const meant = words.find((word) => spellings.includes(word));
  if (meant !== undefined) return meant;
  const prefix = [...term].slice(0, 3).join("");
  const candidates = words.filter((word) => word.startsWith(prefix));
  const index = stems(candidates).findIndex(([stem]) => stem === term);
  return candidates[index];
}

/**
 * Returns the misspelled words of a query that match by their stem ("embeding"): no text contains the word,
 * but one contains a word with the same stem and ending at edit distance 1.
 */
function misspellings(terms: readonly QueryTerm[], texts: readonly string[]): ReportedCorrection[] {
  const found: ReportedCorrection[] = [];
  const text = texts.join("\n").toLowerCase();
  for (const { words: [word = ""], weight } of terms) {
    if (
      weight < 1 || word.length < 2 * SHARED_ENDING_CHARS || !/^[a-z]+$/.test(word) || text.includes(word)
    ) {
      continue;
    }
    const similar = new RegExp(
      `(?<![a-z])${word.slice(0, 1)}[a-z]+${word.slice(-SHARED_ENDING_CHARS)}(?![a-z])`,
      "g",
    );
    const candidates = new Set(
      Array.from(text.matchAll(similar), ([candidate]) => candidate)
        .filter((candidate) => editDistance([...word], [...candidate], 1) === 1),
    );
    const [stem] = stems([word]).flat();
    const used = [...candidates].find((candidate) => stems([candidate]).flat()[0] === stem);
    if (used !== undefined) found.push({ word, used });
  }
  return found;
}
