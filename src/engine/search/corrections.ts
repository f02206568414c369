import { normalizeForSearch, stems } from "../../analysis/mod.ts";
import type { SearchResult } from "../../contract/mod.ts";
import { editDistance } from "../../text/mod.ts";
import type { QueryTerm } from "./query_terms.ts";

/** A spelling correction: a word of the query that no chunk contains, and the index term to use instead. */
export interface Correction {
  readonly word: string;
  readonly term: string;
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

/** Returns the corrections of a search with the words as the results spell them. */
export function reportCorrections(
  corrections: readonly Correction[],
  { results, terms }: { readonly results: readonly SearchResult[]; readonly terms: readonly QueryTerm[] },
): ReportedCorrection[] {
  if (results.length === 0) return [];
  const texts = results.flatMap((
    { text, title, heading_path },
  ) => [text, title ?? "", ...heading_path ?? []]);
  return [
    ...corrections.map(({ word, term }) => ({ word, used: spellingOf(term, texts) })),
    ...misspellings(terms, texts),
  ];
}

/** Returns the first word in the texts with this stem, or the stem itself. */
export function spellingOf(term: string, texts: readonly string[]): string {
  const prefix = [...term].slice(0, 3).join("");
  for (const text of texts) {
    const words = new Set(normalizeForSearch(text).toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu));
    const candidates = [...words].filter((word) => word.startsWith(prefix));
    const index = stems(candidates).findIndex(([stem]) => stem === term);
    if (index >= 0) return candidates[index] as string;
  }
  return term;
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
