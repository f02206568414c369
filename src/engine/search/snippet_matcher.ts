import {
  asciiWords,
  derivedTerms,
  normalizeForSearch,
  SINGLE_CHARACTER_TOKENS,
  stems,
} from "../../analysis/mod.ts";
import { lazy } from "../../text/mod.ts";
import type { QueryTerm } from "./query_terms.ts";

/** Maximum number of matches to consider, far more than a chunk of prose has. */
const MAX_MATCHES = 500;

/**
 * Runs of single-character tokens, and words, including the invisible characters that normalization removes.
 */
const RUN_OR_WORD = new RegExp(
  `[${SINGLE_CHARACTER_TOKENS}][${SINGLE_CHARACTER_TOKENS}\\p{M}\\p{Cf}]*|` +
    `(?:(?![${SINGLE_CHARACTER_TOKENS}])[\\p{L}\\p{N}\\p{M}\\p{Co}\\p{Cf}])+`,
  "gu",
);
const HAS_SINGLE_CHARACTER = new RegExp(`[${SINGLE_CHARACTER_TOKENS}]`, "u");
const IS_SINGLE_CHARACTERS = new RegExp(`^[${SINGLE_CHARACTER_TOKENS}]+$`, "u");

/** A word that cannot match. */
const NO_MATCH = -1;
/** A word that might have matched, but has another stem. */
const OTHER_STEM = -2;
/** A run of single-character tokens, which may contain matches. */
const RUN = -3;

/** A match in a text. */
export interface Match {
  readonly start: number;
  readonly end: number;
  /** Number of the stem or run: an index of {@linkcode SnippetMatcher.weights}. */
  readonly term: number;
}

/** The derived terms of a query. */
interface DerivedForms {
  /** Stems of the query words that have a derived term, by that term. */
  readonly forms: ReadonlyMap<string, number>;
  /** Prefixes of the derived terms of compounds, each with the stem of the query word that they contain. */
  readonly compounds: readonly { readonly prefix: string; readonly stem: number }[];
}

/** Finds the words in texts that match the terms of a query. */
export class SnippetMatcher {
  /** Weight of each stem, and of each run of single-character tokens. */
  readonly weights: number[] = [];
  readonly #terms = new Map<string, number>();
  /** Most texts have no derived terms. */
  readonly #derived: () => DerivedForms;
  /** Runs by their first character. */
  readonly #runs = new Map<string, (readonly string[])[]>();
  /** Prefixes of words that may have one of the stems. */
  readonly #prefixes: readonly string[];
  readonly #asciiPrefixes: readonly string[];
  /** What the words of texts match, as far as they are known, by the languages of the text. */
  readonly #known = new Map<string, Map<string, number>>();

  /** @param weightOf Returns the weight of a stem; higher for rare ones. */
  constructor(terms: readonly QueryTerm[], weightOf: (stem: string) => number) {
    const stemOf = terms.map((term) => this.#add(term, weightOf));
    this.#derived = lazy(() => this.#derivedForms(terms, stemOf));
    // Stemming replaces only the end of a word, so that a word without the prefix of a stem need not be
    // stemmed.
    this.#prefixes = [...this.#terms.keys()].filter((term) => !term.includes(" "))
      .map((stem) => [...stem].slice(0, -1).join("") || stem);
    this.#asciiPrefixes = this.#prefixes.filter((prefix) => /^[a-z0-9]+$/.test(prefix));
  }

  /** Adds a query term. Returns its first stem. */
  #add({ words, forms = [] }: QueryTerm, weightOf: (stem: string) => number): string | undefined {
    // A rare form does not make the word rare.
    let formWeight = Infinity;
    for (const form of forms) formWeight = Math.min(formWeight, weightOf(form));
    const found = stems(words).flat();
    if (!words.every((word) => IS_SINGLE_CHARACTERS.test(word))) {
      for (const stem of found) this.#weigh(stem, Math.min(weightOf(stem), formWeight));
      return found[0];
    }
    const characters = [...words.join("")];
    const first = characters[0] ?? "";
    this.#runs.set(first, [...(this.#runs.get(first) ?? []), characters]);
    const weights = found.map((stem) => Math.min(weightOf(stem), formWeight));
    this.#weigh(characters.join(" "), Math.max(...weights));
    return found[0];
  }

  /** Returns the number of the term. */
  #weigh(term: string, weight: number): number {
    const number = this.#terms.get(term) ?? this.weights.length;
    this.#terms.set(term, number);
    this.weights[number] = weight;
    return number;
  }

  #derivedForms(terms: readonly QueryTerm[], stemOf: readonly (string | undefined)[]): DerivedForms {
    const forms = new Map<string, number>();
    const compounds = new Map<string, number>();
    for (const [index, { forms: added = [], compounds: joined = [] }] of terms.entries()) {
      const stem = stemOf[index];
      if (stem === undefined || added.length + joined.length === 0) continue;
      // Of characters without spaces, the terms are runs.
      const term = this.#terms.get(stem) ?? this.#weigh(stem, 1);
      for (const form of added) forms.set(form, term);
      for (const { tail, head } of joined) {
        if (tail !== undefined) compounds.set(tail, term);
        if (head !== undefined) compounds.set(head, term);
      }
    }
    return { forms, compounds: Array.from(compounds, ([prefix, stem]) => ({ prefix, stem })) };
  }

  /**
   * Returns the first matches in a text, in order.
   *
   * @param languages Languages in which the words of the text have derived terms.
   */
  find(text: string, languages: readonly string[]): Match[] {
    const hasForms = languages.length > 0 &&
      this.#derived().forms.size + this.#derived().compounds.length > 0;
    const ascii = hasForms || this.#runs.size > 0 ? undefined : asciiWords(text);
    return ascii === undefined
      ? this.#findInUnicode(text, hasForms ? languages : [])
      : this.#findInAscii(ascii);
  }

  #findInAscii(text: string): Match[] {
    const starts: number[] = [];
    for (const prefix of this.#asciiPrefixes) {
      for (let at = text.indexOf(prefix); at >= 0; at = text.indexOf(prefix, at + 1)) {
        if (at === 0 || !isAlphanumeric(text.charCodeAt(at - 1))) starts.push(at);
      }
    }
    if (this.#asciiPrefixes.length > 1) starts.sort((a, b) => a - b);
    const known = this.#knownIn("");
    const matches: Match[] = [];
    let last = -1;
    let count = 0;
    for (const start of starts) {
      if (start === last) continue;
      last = start;
      if (++count > MAX_MATCHES) break;
      let end = start + 1;
      while (end < text.length && isAlphanumeric(text.charCodeAt(end))) end++;
      const word = text.slice(start, end);
      let term = known.get(word);
      if (term === undefined) known.set(word, term = this.#stemOf(word));
      if (term >= 0) matches.push({ start, end, term });
    }
    return matches;
  }

  #findInUnicode(text: string, languages: readonly string[]): Match[] {
    const known = this.#knownIn(languages.join(" "));
    const matches: Match[] = [];
    let others = 0;
    for (const { 0: word, index } of text.matchAll(RUN_OR_WORD)) {
      let term = known.get(word);
      if (term === undefined) known.set(word, term = this.#match(word, languages));
      if (term >= 0) matches.push({ start: index, end: index + word.length, term });
      else if (term === OTHER_STEM) others++;
      else if (term === RUN) this.#findRuns(word, index, matches);
      if (matches.length + others >= MAX_MATCHES) break;
    }
    return matches;
  }

  #knownIn(languages: string): Map<string, number> {
    let known = this.#known.get(languages);
    if (!known) this.#known.set(languages, known = new Map());
    return known;
  }

  /** Returns the number of the term that a word matches, or why it matches none. */
  #match(word: string, languages: readonly string[]): number {
    if (languages.length > 0) {
      const term = this.#termOfForms(derivedTerms(word, languages).split(" "));
      if (term !== undefined) return term;
    }
    const normalized = normalizeForSearch(word).toLowerCase().trim();
    if (HAS_SINGLE_CHARACTER.test(normalized)) return RUN;
    return this.#prefixes.some((prefix) => normalized.startsWith(prefix))
      ? this.#stemOf(normalized)
      : NO_MATCH;
  }

  #stemOf(word: string): number {
    const stem = stems([word])[0]?.[0];
    return (stem === undefined ? undefined : this.#terms.get(stem)) ?? OTHER_STEM;
  }

  /** Returns the stem of the query word that has one of the derived terms, or that is part of a compound. */
  #termOfForms(derived: readonly string[]): number | undefined {
    const { forms, compounds } = this.#derived();
    for (const each of derived) {
      const stem = forms.get(each);
      if (stem !== undefined) return stem;
    }
    for (const { prefix, stem } of compounds) {
      for (const each of derived) if (each.startsWith(prefix)) return stem;
    }
    return undefined;
  }

  /** Adds the matches within a run of single-character tokens. */
  #findRuns(run: string, offset: number, matches: Match[]): void {
    if (this.#runs.size === 0) return;
    const characters: { readonly start: number; readonly end: number; readonly token: string }[] = [];
    for (const { 0: character, index } of run.matchAll(/./gsu)) {
      const token = normalizeForSearch(character).toLowerCase().trim();
      const start = offset + index;
      if (token !== "") characters.push({ start, end: start + character.length, token });
    }
    for (const [index, { start, token }] of characters.entries()) {
      for (const wanted of this.#runs.get(token) ?? []) {
        const last = characters[index + wanted.length - 1];
        if (last && wanted.every((character, n) => characters[index + n]?.token === character)) {
          matches.push({ start, end: last.end, term: this.#terms.get(wanted.join(" ")) as number });
        }
      }
    }
  }
}

function isAlphanumeric(code: number): boolean {
  return code >= 97 && code <= 122 || code >= 48 && code <= 57;
}
