import {
  charactersTerms,
  derivedForms,
  digitForms,
  hanForms,
  isPlainEnglish,
  isStopWord,
  languageOfTerm,
  normalizeForSearch,
  scriptBit,
  scriptBits,
  stopWordBit,
  stopWordBits,
} from "../../analysis/mod.ts";
import type { ParsedQuery } from "./query.ts";
import type { QueryTerm } from "./query_terms.ts";
import type { WordForms } from "./word_forms.ts";

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
 * @param forms Forms in the languages in which documents have derived terms. Without languages, the query is returned
 * unchanged.
 * @throws {Error} If there are languages and `loadStemmers` has not been awaited.
 */
export function withForms(query: ParsedQuery, forms: WordForms): ParsedQuery {
  const { languages } = forms;
  if (languages.length === 0 || isPlainEnglish(query.text)) return query;
  const words = originalWords(query.text);
  const likely = likelyLanguages([...words.values()], languages);
  const stopWordOfLikely = likely.languages.reduce((bits, language) => bits | stopWordBit(language), 0);
  const isStop = ({ words: each }: QueryTerm) =>
    likely.isSure && each.every((word) => (stopWordBits(words.get(word) ?? word) & stopWordOfLikely) !== 0);
  const hasContent = query.terms.some((term) => !isStop(term));
  const hasChinese = languages.includes("zh");
  const originals = query.terms.map((term) => originalOf(term, words));
  const inLanguages = forms.of(
    likely.languages.length === 0 ? [] : new Set(originals.filter((original) => original !== undefined)),
  );
  const terms = query.terms.map((term, index) => {
    const original = originals[index];
    const known = original === undefined ? undefined : inLanguages.get(original);
    const inChinese = hasChinese && term.words.length === 1 ? hanForms(term.words[0] as string) : [];
    // A number by itself, and not that of an identifier.
    const inDigits = term.words.length === 1 && term.weight >= 1
      ? digitForms(term.words[0] as string, languages)
      : [];
    const found = [...likely.select(known?.forms ?? [], (form) => form), ...inChinese, ...inDigits];
    const compounds = likely.select(known?.compounds ?? [], ({ tail, head }) => tail ?? head ?? "");
    const weight = hasContent && isStop(term) ? term.weight * STOP_WORD_WEIGHT : term.weight;
    if (found.length + compounds.length === 0 && weight === term.weight) return term;
    return {
      ...term,
      weight,
      ...(found.length === 0 ? {} : { forms: found }),
      ...(compounds.length === 0 ? {} : { compounds }),
    };
  });
  return { ...query, terms: [...terms, ...inflectedTerms(query.text, words.values(), languages)] };
}

/**
 * Returns terms for the verbs and nouns of Japanese and Korean, of which the query has n-grams only. Their weight
 * is below 1, so that they are not taken for misspelled words.
 */
function inflectedTerms(text: string, words: Iterable<string>, languages: readonly string[]): QueryTerm[] {
  const groups: (readonly string[])[] = [
    ...charactersTerms(text, languages.filter((each) => each === "ja")).map((term) => [term]),
    ...languages.includes("ko") ? Array.from(words, (word) => derivedForms(word, "ko")) : [],
  ];
  return groups.filter(({ length }) => length > 0).slice(0, MAX_INFLECTED_TERMS)
    .map(([term = "", ...forms]) => ({ words: [term], weight: INFLECTED_WEIGHT, forms }));
}

/** Returns the words of a text in lower case, with their accents, by their normalized form. */
function originalWords(text: string): Map<string, string> {
  const words = new Map<string, string>();
  for (const [word] of text.normalize("NFC").toLowerCase().matchAll(WORD)) {
    words.set(normalizeForSearch(word).toLowerCase().trim(), word);
  }
  return words;
}

/** Returns the word of a term with its accents. Undefined: the term is not a single word of letters. */
function originalOf(
  { words: [word = "", ...others] }: QueryTerm,
  words: Map<string, string>,
): string | undefined {
  return others.length === 0 ? words.get(word) : undefined;
}

/** Languages of a query. */
interface LikelyLanguages {
  readonly languages: readonly string[];
  /** Whether the stop words of the query tell them. */
  readonly isSure: boolean;
  /** Returns the values of these languages, by their derived term. */
  readonly select: <T>(values: readonly T[], termOf: (value: T) => string) => readonly T[];
}

function likelyLanguages(words: readonly string[], languages: readonly string[]): LikelyLanguages {
  const scripts = words.reduce((bits, word) => bits | scriptBits(word), 0);
  const stopWordsOf = words.map(stopWordBits).filter((bits) => bits !== 0);
  const possible = languages.filter((language) => (scripts & scriptBit(language)) !== 0);
  const counts = possible.map((language) => {
    const bit = stopWordBit(language);
    return stopWordsOf.reduce((count, bits) => (bits & bit) === 0 ? count : count + 1, 0);
  });
  const max = Math.max(...counts);
  const english = words.filter(isStopWord).length;
  if (english >= MIN_STOP_WORDS && english > max) return someLanguages([]);
  if (max < MIN_STOP_WORDS || max < english) {
    // A word has forms in languages of its script only.
    return { languages: possible, isSure: possible.length === 1, select: (values) => values };
  }
  return someLanguages(possible.filter((_, at) => counts[at] === max));
}

function someLanguages(languages: readonly string[]): LikelyLanguages {
  return {
    languages,
    isSure: true,
    select: (values, termOf) => values.filter((value) => languages.includes(languageOfTerm(termOf(value)))),
  };
}
