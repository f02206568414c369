import {
  type CompoundPrefixes,
  compoundsOf,
  derivedForms,
  isInScriptOf,
  isStopWordIn,
} from "../../analysis/mod.ts";
import { GenerationCache } from "../../data_structures/mod.ts";
import { lazy } from "../../text/mod.ts";

/*
 * Forms and properties of a word in each language of a store. A store has up to 30 languages, some of a single document, so
 * that the analysis of a word takes as long as all else of a short search, and queries repeat words.
 */

/** A word in some languages, in their order. */
export interface WordForms {
  /** Whether the word is written in the script of each language. */
  readonly isInScript: readonly boolean[];
  /** Whether the word is a stop word of each language. */
  readonly isStopWord: readonly boolean[];
  /** Returns the derived terms of the word in each language. */
  readonly forms: () => readonly (readonly string[])[];
  /** Returns the prefixes of compounds with the word in each language; none of a stop word. */
  readonly compounds: () => readonly (readonly CompoundPrefixes[])[];
}

/** Maximum number of words, each in all languages of the store: about 10 MB with 20 languages. */
const MAX_WORDS = 2048;
/** Longer ones are no words. */
const MAX_WORD_LENGTH = 64;

const cache = new GenerationCache<string, WordForms>(MAX_WORDS);

/**
 * Returns the forms and properties of a word, from the cache if it has them.
 *
 * @param word Word in lower case, with its accents.
 * @throws {Error} If `loadStemmers` has not been awaited.
 */
export function wordForms(word: string, languages: readonly string[]): WordForms {
  const key = `${languages.join(" ")} ${word}`;
  const known = cache.get(key);
  if (known) return known;
  const isStopWord = languages.map((language) => isStopWordIn(word, language));
  const found: WordForms = {
    isInScript: languages.map((language) => isInScriptOf(word, language)),
    isStopWord,
    forms: lazy(() => languages.map((language) => derivedForms(word, language))),
    compounds: lazy(() =>
      languages.map((language, index) => isStopWord[index] ? [] : compoundsOf(word, language))
    ),
  };
  if (word.length <= MAX_WORD_LENGTH) cache.set(key, found);
  return found;
}
