import {
  charactersTerms,
  type CompoundPrefixes,
  compoundsOf,
  derivedForms,
  hanForms,
  isInScriptOf,
  isPlainEnglish,
  isStopWord,
  isStopWordIn,
  normalizeForSearch,
} from "../../analysis/mod.ts";
import type { ParsedQuery } from "./query.ts";
import type { QueryTerm } from "./query_terms.ts";

/** A word of a query with its accents, which stemmers need; the terms have none. */
const WORD = /[\p{L}\p{M}]+/gu;
/** Weight of a stop word among other words. */
const STOP_WORD_WEIGHT = 0.25;
/** Weight of a Japanese or Korean word next to its n-grams. */
const INFLECTED_WEIGHT = 0.5;
const MAX_INFLECTED_TERMS = 32;
/** Number of stop words that tell the language of a query. */
const MIN_STOP_WORDS = 2;

/**
 * Adds to each word of a query the derived terms of its likely languages, and lowers the weight of their stop
 * words. A short query may be in any language of the store that its script allows.
 *
 * @param languages Languages in which documents have derived terms. Empty: returns the query unchanged.
 * @throws {Error} If there are languages and `loadStemmers` has not been awaited.
 */
export function withForms(query: ParsedQuery, languages: readonly string[]): ParsedQuery {
  if (languages.length === 0 || isPlainEnglish(query.text)) return query;
  const words = originalWords(query.text);
  const likely = likelyLanguages([...words.values()], languages);
  const isStop = (term: QueryTerm) =>
    likely.isSure && term.words.every((word) => isStopWordOfAny(words.get(word) ?? word, likely.languages));
  const hasContent = query.terms.some((term) => !isStop(term));
  const terms = query.terms.map((term) => {
    const [word = "", ...others] = term.words;
    const original = others.length === 0 ? words.get(word) : undefined;
    const forms: string[] = original === undefined
      ? []
      : likely.languages.flatMap((language) => derivedForms(original, language));
    if (others.length === 0 && languages.includes("zh")) forms.push(...hanForms(word));
    const compounds = original === undefined ? [] : compoundsIn(original, likely.languages);
    const weight = hasContent && isStop(term) ? term.weight * STOP_WORD_WEIGHT : term.weight;
    return {
      ...term,
      weight,
      ...(forms.length === 0 ? {} : { forms }),
      ...(compounds.length === 0 ? {} : { compounds }),
    };
  });
  return { ...query, terms: [...terms, ...inflectedTerms(query.text, [...words.values()], languages)] };
}

function compoundsIn(word: string, languages: readonly string[]): CompoundPrefixes[] {
  return languages.filter((language) => !isStopWordIn(word, language))
    .flatMap((language) => compoundsOf(word, language));
}

/**
 * Returns terms for the verbs and nouns of Japanese and Korean, of which the query has n-grams only. Their weight
 * is below 1, so that they are not taken for misspelled words.
 */
function inflectedTerms(text: string, words: readonly string[], languages: readonly string[]): QueryTerm[] {
  const korean = languages.includes("ko") ? words.map((word) => derivedForms(word, "ko")) : [];
  const groups = [
    ...charactersTerms(text, languages.filter((each) => each === "ja")).map((term) => [term]),
    ...korean,
  ];
  return groups.filter(({ length }) => length > 0).slice(0, MAX_INFLECTED_TERMS)
    .map(([term = "", ...forms]) => ({ words: [term], weight: INFLECTED_WEIGHT, forms }));
}

/** Returns the words of a text in lower case by their normalized form. */
function originalWords(text: string): Map<string, string> {
  const words = new Map<string, string>();
  for (const [word] of text.normalize("NFC").toLowerCase().matchAll(WORD)) {
    words.set(normalizeForSearch(word).toLowerCase().trim(), word);
  }
  return words;
}

/** Languages of a query, and whether its stop words tell them. */
interface LikelyLanguages {
  readonly languages: readonly string[];
  readonly isSure: boolean;
}

function likelyLanguages(words: readonly string[], languages: readonly string[]): LikelyLanguages {
  const possible = languages.filter((language) => words.some((word) => isInScriptOf(word, language)));
  const counts = possible.map((language) => words.filter((word) => isStopWordIn(word, language)).length);
  const max = Math.max(...counts);
  const english = words.filter(isStopWord).length;
  if (english >= MIN_STOP_WORDS && english > max) return { languages: [], isSure: true };
  if (max < MIN_STOP_WORDS || max < english) return { languages: possible, isSure: possible.length === 1 };
  return { languages: possible.filter((_, index) => counts[index] === max), isSure: true };
}

function isStopWordOfAny(word: string, languages: readonly string[]): boolean {
  return languages.some((language) => isStopWordIn(word, language));
}
