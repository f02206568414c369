import {
  analyzeForSearch,
  asciiWords,
  findSubword,
  type SearchText,
  WORD_CHARACTERS,
} from "../../../analysis/mod.ts";

/** A word that is in a text if it is among its `asciiWords`. */
const ASCII_WORD = /^[a-z0-9]+$/;
// deno-lint-ignore no-control-regex -- excludes ASCII
const NOT_ASCII = /[^\u0000-\u007f]/;
/** Matches a character of a word. */
export const WORD_CHARACTER = new RegExp(`[${WORD_CHARACTERS}]`, "u");

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
      const ascii = this.#isNormalized ? this.body : asciiWords(this.#text);
      this.#ascii = ascii === undefined || NOT_ASCII.test(ascii) ? null : ascii;
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

  /** Whether one of the {@linkcode subwords} is a word that the {@linkcode body} does not contain. */
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

/** Whether a text in lower case contains a whole word. */
export function containsWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (!isWordCharacter(text, at - 1) && !isWordCharacter(text, at + word.length)) return true;
  }
  return false;
}

/** Whether a text in any case contains a whole word in lower case, between other ASCII characters, which no analysis joins. */
function containsPlainWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (isBoundary(text, at - 1) && isBoundary(text, at + word.length)) return true;
  }
  return false;
}

/** Whether an offset is outside of a text, or that of an ASCII character other than a letter or digit. */
function isBoundary(text: string, offset: number): boolean {
  if (offset < 0 || offset >= text.length) return true;
  const code = text.charCodeAt(offset);
  const isLetter = (code | 32) >= 97 && (code | 32) <= 122;
  return code < 128 && !isLetter && !(code >= 48 && code <= 57);
}

/** Whether the code unit at an offset of a text in lower case belongs to a word. */
export function isWordCharacter(text: string, offset: number): boolean {
  const code = text.charCodeAt(offset);
  if (code < 128) return (code >= 97 && code <= 122) || (code >= 48 && code <= 57);
  // A letter outside of the Basic Multilingual Plane; other characters there are separated by spaces.
  if ((code & 0xf800) === 0xd800) return true;
  return WORD_CHARACTER.test(text[offset] ?? "");
}
