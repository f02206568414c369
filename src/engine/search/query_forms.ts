import {
  charactersTerms,
  hanForms,
  isPlainEnglish,
  isStopWord,
  normalizeForSearch,
} from "../../analysis/mod.ts";
import type { ParsedQuery } from "./query.ts";
import type { QueryTerm } from "./query_terms.ts";
import { type WordForms, wordForms } from "./word_forms.ts";

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
  const words = originalWords(query.text, languages);
  const likely = likelyLanguages([...words.values()], languages);
  const inLikely = <T>(values: readonly T[]) => likely.indexes.map((index) => values[index] as T);
  const isStop = ({ words: each }: QueryTerm) =>
    likely.isSure &&
    each.every((word) =>
      inLikely((words.get(word) ?? originalWord(word, languages)).isStopWord).includes(true)
    );
  const hasContent = query.terms.some((term) => !isStop(term));
  const terms = query.terms.map((term) => {
    const [word = "", ...others] = term.words;
    const original = others.length === 0 ? words.get(word) : undefined;
    const forms = original ? inLikely(original.forms()).flat() : [];
    if (others.length === 0 && languages.includes("zh")) forms.push(...hanForms(word));
    const compounds = original ? inLikely(original.compounds()).flat() : [];
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

/**
 * Returns terms for the verbs and nouns of Japanese and Korean, of which the query has n-grams only. Their weight
 * is below 1, so that they are not taken for misspelled words.
 */
function inflectedTerms(
  text: string,
  words: readonly OriginalWord[],
  languages: readonly string[],
): QueryTerm[] {
  const korean = languages.indexOf("ko");
  const groups: (readonly string[])[] = [
    ...charactersTerms(text, languages.filter((each) => each === "ja")).map((term) => [term]),
    ...korean < 0 ? [] : words.map((word) => word.forms()[korean] ?? []),
  ];
  return groups.filter(({ length }) => length > 0).slice(0, MAX_INFLECTED_TERMS)
    .map(([term = "", ...forms]) => ({ words: [term], weight: INFLECTED_WEIGHT, forms }));
}

/** A word of a query in lower case, with its accents. */
interface OriginalWord extends WordForms {
  readonly text: string;
}

function originalWord(text: string, languages: readonly string[]): OriginalWord {
  return { text, ...wordForms(text, languages) };
}

/** Returns the words of a text by their normalized form. */
function originalWords(text: string, languages: readonly string[]): Map<string, OriginalWord> {
  const words = new Map<string, OriginalWord>();
  for (const [word] of text.normalize("NFC").toLowerCase().matchAll(WORD)) {
    words.set(normalizeForSearch(word).toLowerCase().trim(), originalWord(word, languages));
  }
  return words;
}

/** Languages of a query, and whether its stop words tell them. */
interface LikelyLanguages {
  /** Indexes in the languages of the store. */
  readonly indexes: readonly number[];
  readonly isSure: boolean;
}

function likelyLanguages(words: readonly OriginalWord[], languages: readonly string[]): LikelyLanguages {
  const possible = [...languages.keys()].filter((index) => words.some(({ isInScript }) => isInScript[index]));
  const counts = possible.map((index) => words.filter(({ isStopWord }) => isStopWord[index]).length);
  const max = Math.max(...counts);
  const english = words.filter(({ text }) => isStopWord(text)).length;
  if (english >= MIN_STOP_WORDS && english > max) return { indexes: [], isSure: true };
  if (max < MIN_STOP_WORDS || max < english) return { indexes: possible, isSure: possible.length === 1 };
  return { indexes: possible.filter((_, at) => counts[at] === max), isSure: true };
}
