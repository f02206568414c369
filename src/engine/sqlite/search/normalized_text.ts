import { analyzeForSearch, asciiWords, findSubword, type SearchText } from "../../../analysis/mod.ts";
import { containsPhrase, containsPlainWord, containsWord } from "./words_in_text.ts";

/** A word that is in a text if it is among its `asciiWords`. */
const ASCII_WORD = /^[a-z0-9]+$/;
// deno-lint-ignore no-control-regex -- excludes ASCII
const NOT_ASCII = /[^\u0000-\u007f]/;

/**
 * A text in lower case as the index normalizes it. The parts of it are computed when they are needed: the words of a
 * query are mostly in the text itself, and the search for subwords in it takes several times as long as all else.
 */
export class NormalizedText {
  readonly #text: string;
  readonly #isNormalized: boolean;
  #analyzed: SearchText | undefined;
  #body: string | undefined;
  /** Null: not all of the words can be spelled in ASCII. */
  #ascii: string | null | undefined;
  #subwords: string | undefined;

  /** @param options.isNormalized Whether the text is that of the index, with its subwords. */
  constructor(text: string, { isNormalized }: { readonly isNormalized: boolean }) {
    this.#text = text;
    this.#isNormalized = isNormalized;
  }

  /** The text, without the subwords that are computed. */
  get body(): string {
    return this.#body ??= this.#lowerBody();
  }

  /** Returns the first characters of the {@linkcode body}. */
  start(count: number): string {
    const start = this.#text.slice(0, count);
    // What follows ASCII does not change it, so that no copy of the text is needed.
    return NOT_ASCII.test(start) ? this.body.slice(0, count) : start.toLowerCase();
  }

  /**
   * Words of the {@linkcode body} in ASCII: faster to compute, and to search. Null if that cannot spell all of them.
   */
  get asciiBody(): string | null {
    if (this.#ascii === undefined) {
      if (this.#isNormalized) this.#ascii = NOT_ASCII.test(this.body) ? null : this.body;
      else this.#ascii = asciiWords(this.#text) ?? null;
    }
    return this.#ascii;
  }

  /** Subwords of the {@linkcode body}, which take much longer to find than all else. */
  get subwords(): string {
    return this.#subwords ??= this.#isNormalized ? "" : this.#analysis.subwords().toLowerCase();
  }

  /** Whether the {@linkcode body} contains a whole word. */
  hasWord(word: string): boolean {
    if (!ASCII_WORD.test(word)) return containsWord(this.body, word);
    // Most texts need no copy in lower case.
    if (this.#ascii === undefined && containsPlainWord(this.#text, word)) return true;
    return containsWord(this.asciiBody ?? this.body, word);
  }

  /** Whether the text, with its {@linkcode subwords}, contains words in sequence. */
  hasPhrase(words: readonly string[]): boolean {
    if (containsPhrase(this.body, words)) return true;
    // The last word of a phrase that is not in the body is among the subwords, which follow it.
    const last = words.at(-1);
    return last !== undefined && this.hasSubword(last) &&
      containsPhrase(`${this.body}\n${this.subwords}`, words);
  }

  /** Whether one of the {@linkcode subwords} is a word. */
  hasSubword(word: string): boolean {
    if (this.#isNormalized) return false;
    const ascii = ASCII_WORD.test(word) ? this.asciiBody : null;
    const searched = { text: this.#text, words: ascii ?? this.body, isAligned: ascii !== null };
    return findSubword(searched, word) ?? containsWord(this.subwords, word);
  }

  get #analysis(): SearchText {
    return this.#analyzed ??= analyzeForSearch(this.#text);
  }

  #lowerBody(): string {
    if (this.#isNormalized) return this.#text.toLowerCase();
    const { normalized } = this.#analysis;
    // Of a text in ASCII, both are the same.
    return (normalized === this.#text ? this.asciiBody : null) ?? normalized.toLowerCase();
  }
}
