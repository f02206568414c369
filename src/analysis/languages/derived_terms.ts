import { GenerationCache } from "../../data_structures/mod.ts";
import { type CompoundPrefixes, compoundPrefixes, compoundTerms, hasCompounds } from "./compounds.ts";
import { hanTerms } from "./han.ts";
import { japaneseTerms } from "./japanese.ts";
import { koreanStems } from "./light/korean.ts";
import { DERIVED_PREFIX } from "./prefix.ts";
import { LOOSE_PREFIX, MAX_WORD_LENGTH, stemsIn } from "./stemmers.ts";
import { stopWordBit } from "./stop_words.ts";
import { loadedStemmers } from "./tables.ts";

/**
 * Version of the analysis of documents. Documents that were analyzed by a lower one are analyzed again in the
 * background: increase it whenever {@linkcode derivedTerms} returns other terms for the same text.
 */
export const ANALYSIS_VERSION = 2;

/** A word with its marks, or with a number; an apostrophe or a joiner ends it. */
const WORD = /[\p{L}\p{M}]+/gu;
const ASCII_WORD = /^[A-Za-z]+$/;
/** Maximum number of cached words, once per language. */
const MAX_CACHED_WORDS = 40_000;

/** Terms of a word in one language, and in others. */
interface WordTerms {
  readonly language: string;
  /** Separated by spaces; empty for a stop word. */
  readonly terms: string;
  readonly next: WordTerms | undefined;
  /** Number of languages. */
  readonly size: number;
}

/** Terms by word, for documents: a key with the language would have to be joined and hashed for each word of a text. */
const documentTerms = new GenerationCache<string, WordTerms>(MAX_CACHED_WORDS);

/**
 * Returns the terms that the words of a text derive in some languages, separated by spaces: their stems, without
 * stop words. Empty for languages without stems.
 *
 * @throws {Error} If `loadStemmers` has not been awaited.
 */
export function derivedTerms(text: string, languages: readonly string[]): string {
  if (languages.length === 0) return "";
  const terms: string[] = [];
  if (ASCII_WORD.test(text)) {
    // A snippet looks up the words of its text one by one.
    addTerms(text.toLowerCase(), languages, terms);
    return terms.join(" ");
  }
  for (const word of text.normalize("NFC").toLowerCase().match(WORD) ?? []) addTerms(word, languages, terms);
  return [...terms, ...charactersTerms(text, languages)].join(" ");
}

function addTerms(word: string, languages: readonly string[], terms: string[]): void {
  for (const language of languages) {
    const found = termsOf(word, language);
    if (found !== "") terms.push(found);
  }
}

/** Returns the terms of a word of a document, separated by spaces. */
function termsOf(word: string, language: string): string {
  if (word.length > MAX_WORD_LENGTH) return "";
  const known = documentTerms.get(word);
  for (let each = known; each; each = each.next) {
    if (each.language === language) return each.terms;
  }
  const forms = isStopWordIn(word, language) ? [] : formsOf(word, language);
  const terms = [...forms, ...compoundTerms(word, stemsOf(forms, language), language)].join(" ");
  const size = (known?.size ?? 0) + 1;
  documentTerms.set(word, { language, terms, next: known, size }, size);
  return terms;
}

/**
 * Returns the terms that characters of Chinese and Japanese text derive.
 *
 * @throws {Error} If `loadStemmers` has not been awaited.
 */
export function charactersTerms(text: string, languages: readonly string[]): string[] {
  return [
    ...(languages.includes("zh") ? hanTerms(text) : []),
    ...(languages.includes("ja") ? japaneseTerms(text) : []),
  ];
}

/**
 * Returns the prefixes of the derived terms of a word's compounds in a language.
 *
 * @param forms What {@linkcode derivedForms} returns for the word.
 * @throws {Error} If `loadStemmers` has not been awaited.
 */
export function compoundsOf(
  word: string,
  language: string,
  forms: readonly string[] = derivedForms(word, language),
): CompoundPrefixes[] {
  return hasCompounds(language) ? compoundPrefixes(word, stemsOf(forms, language), language) : [];
}

/** Returns the stems of derived forms, without loose ones. */
function stemsOf(forms: readonly string[], language: string): string[] {
  return forms.filter((form) => !isLooseTerm(form)).map((form) =>
    form.slice(DERIVED_PREFIX.length + language.length)
  );
}

/**
 * Returns the terms of one word in a language, which a document with another form of the word has, too.
 *
 * @param word Word in lower case, with its accents.
 * @throws {Error} If `loadStemmers` has not been awaited.
 */
export function derivedForms(word: string, language: string): string[] {
  return word.length > MAX_WORD_LENGTH ? [] : formsOf(word, language);
}

function formsOf(word: string, language: string): string[] {
  const tables = loadedStemmers();
  if (!tables) throw new Error("Cannot stem words: loadStemmers must be awaited first");
  const stems = language === "ko" ? koreanStems(word) : stemsIn(word, language, tables.snowball);
  return stems.map((stem) => DERIVED_PREFIX + language + stem);
}

/** Whether a derived term is one that unrelated words may share, too. */
export function isLooseTerm(term: string): boolean {
  return term[DERIVED_PREFIX.length + 2] === LOOSE_PREFIX;
}

/**
 * Returns the bits of the languages of which a word in lower case, with its accents, is a stop word; see
 * {@linkcode stopWordBit}. None if `loadStemmers` has not been awaited.
 */
export function stopWordBits(word: string): number {
  return loadedStemmers()?.stopWords().get(word) ?? 0;
}

function isStopWordIn(word: string, language: string): boolean {
  return (stopWordBits(word) & stopWordBit(language)) !== 0;
}
