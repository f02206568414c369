import {
  type CompoundPrefixes,
  compoundsOf,
  derivedForms,
  prefixesOf,
  scriptBit,
  scriptBits,
  stopWordBit,
  stopWordBits,
} from "../../analysis/mod.ts";
import { GenerationCache } from "../../data_structures/mod.ts";

/*
 * Forms of words in the languages of a store. A store has up to 30 languages, some of a single document, in which a word
 * has dozens of forms. Hardly any of them occur in a text, and only those that do are kept.
 */

/** A word in the languages of a store. */
export interface WordInLanguages {
  /** Derived terms of the word. */
  readonly forms: readonly string[];
  /** Prefixes of the derived terms of compounds with the word; none in languages of which it is a stop word. */
  readonly compounds: readonly CompoundPrefixes[];
}

/** The derived terms of a store. */
export interface DerivedTermIndex {
  /** Returns those of some derived terms that the index contains. */
  existing(terms: readonly string[]): ReadonlySet<string>;
  /** Returns whether the index contains terms with each prefix, as far as this is known after bounded work. */
  havePrefixes(prefixes: readonly string[]): ReadonlyMap<string, boolean>;
}

/** Maximum number of words and their forms: about 5 MB. */
const MAX_KEPT = 24_576;
/** Longer ones are no words. */
const MAX_WORD_LENGTH = 64;

const NONE: readonly string[] = [];
const NOT_A_WORD: WordInLanguages = { forms: NONE, compounds: [] };

/** Finds and keeps the forms of words in some languages, as long as the derived terms of the store do not change. */
export class WordForms {
  readonly #index: DerivedTermIndex | undefined;
  readonly #known = new GenerationCache<string, WordInLanguages>(MAX_KEPT);
  /** ISO 639-1 codes. */
  readonly languages: readonly string[];

  /** @param index Removes forms without texts. Unset: keeps all. */
  constructor(languages: readonly string[], index?: DerivedTermIndex) {
    this.languages = languages;
    this.#index = index;
  }

  /**
   * Returns the forms of some words in all languages, in the order of the languages.
   *
   * @param words Words in lower case, with their accents.
   * @throws {Error} If `loadStemmers` has not been awaited.
   */
  of(words: Iterable<string>): Map<string, WordInLanguages> {
    const found = new Map<string, WordInLanguages>();
    const unknown: string[] = [];
    for (const word of words) {
      const known = word.length > MAX_WORD_LENGTH ? NOT_A_WORD : this.#known.get(word);
      if (known) found.set(word, known);
      else unknown.push(word);
    }
    if (unknown.length > 0) this.#find(unknown, found);
    return found;
  }

  #find(words: readonly string[], found: Map<string, WordInLanguages>): void {
    const all = words.map((word) => this.#inLanguages(word));
    const existing = this.#index?.existing(all.flatMap(({ forms }) => forms));
    const prefixes = all.map(({ compounds }) => compounds.flatMap(prefixesOf));
    const havePrefixes = this.#index?.havePrefixes(prefixes.flat());
    for (const [index, word] of words.entries()) {
      const { forms, compounds } = all[index] as WordInLanguages;
      const kept = {
        forms: existing ? existingOf(forms, existing) : forms,
        compounds: havePrefixes ? compounds.flatMap((each) => withTerms(each, havePrefixes)) : compounds,
      };
      found.set(word, kept);
      const isKnown = (prefixes[index] as string[]).every((prefix) => havePrefixes?.has(prefix));
      if (isKnown) this.#known.set(word, kept, 1 + kept.forms.length + kept.compounds.length);
    }
  }

  #inLanguages(word: string): WordInLanguages {
    const stopWordOf = stopWordBits(word);
    const scripts = scriptBits(word);
    const forms: string[] = [];
    const compounds: CompoundPrefixes[] = [];
    for (const language of this.languages) {
      const script = scriptBit(language);
      // Stems are of words in the script of their language. Others, such as Korean, have a rule of their own.
      if (script !== 0 && (script & scripts) === 0) continue;
      const inLanguage = derivedForms(word, language);
      if (inLanguage.length === 0) continue;
      for (const form of inLanguage) forms.push(form);
      if ((stopWordOf & stopWordBit(language)) !== 0) continue;
      for (const each of compoundsOf(word, language, inLanguage)) compounds.push(each);
    }
    return { forms, compounds };
  }
}

/** Returns the forms that exist: of most words none. */
function existingOf(forms: readonly string[], existing: ReadonlySet<string>): readonly string[] {
  return existing.size === 0 ? NONE : forms.filter((form) => existing.has(form));
}

/** Removes the prefixes without terms. */
function withTerms(
  { tail, head }: CompoundPrefixes,
  havePrefixes: ReadonlyMap<string, boolean>,
): CompoundPrefixes[] {
  const mayHave = (prefix: string | undefined) => prefix !== undefined && havePrefixes.get(prefix) !== false;
  const kept = { ...(mayHave(tail) && { tail }), ...(mayHave(head) && { head }) } as CompoundPrefixes;
  return kept.tail === undefined && kept.head === undefined ? [] : [kept];
}
