import {
  analyzeForSearch,
  asciiWords,
  mayHaveSubword,
  type SearchText,
  WORD_CHARACTERS,
} from "../../../analysis/mod.ts";
import { toSearchHeading } from "../store/read_only.ts";

/** Size of the objects of a text, without its characters. */
const OBJECTS_SIZE = 256;
const START_CHARS = 128;

/** Columns of a chunk with its text, as the view `chunk_search` reads them. */
export interface ChunkTextRow {
  readonly text: string;
  /** Normalized text. Null: equal to the text. Empty: computed. */
  readonly search_text: string | null;
  /** Headings as a JSON array of strings. */
  readonly heading_path: string;
  /** Normalized headings. Empty: computed. */
  readonly search_heading: string;
  /** Normalized title of the document. */
  readonly search_title: string;
}

/** A word that is in a text if it is among its `asciiWords`. */
const ASCII_WORD = /^[a-z0-9]+$/;
// deno-lint-ignore no-control-regex -- excludes ASCII
const NOT_ASCII = /[^\u0000-\u007f]/;

/**
 * The text of a chunk in lower case as the index normalizes it. The parts of it are computed when they are needed:
 * the words of a query are mostly in the text itself, and the search for subwords in it takes several times as long
 * as all else.
 */
export class ChunkText {
  readonly #row: ChunkTextRow;
  #analyzed: SearchText | undefined;
  #body: string | undefined;
  /** Null: not all of its words can be spelled in ASCII. */
  #ascii: string | null | undefined;
  #subwords: string | undefined;
  #title: string | undefined;
  #headings: string | undefined;
  /** Approximate size in UTF-16 code units. */
  readonly size: number;

  constructor(row: ChunkTextRow) {
    this.#row = row;
    this.size = OBJECTS_SIZE + 2 * (row.text.length + row.search_title.length + row.heading_path.length);
  }

  /** Text without title, headings and subwords. */
  get body(): string {
    return this.#body ??= this.#lowerBody();
  }

  /** Start of the {@linkcode body}. */
  get bodyStart(): string {
    return this.body.slice(0, START_CHARS);
  }

  /** Subwords of the {@linkcode body}, which take much longer to find than all else. */
  get subwords(): string {
    return this.#subwords ??= this.#isComputed ? this.#analysis.subwords().toLowerCase() : "";
  }

  /** Whether the text, the title or the headings contain words in sequence. */
  containsPhrase(words: readonly string[]): boolean {
    return containsPhrase(this.body, words) || containsPhrase(this.#lowerTitle, words) ||
      containsPhrase(this.#lowerHeadings, words) ||
      this.subwords !== "" && containsPhrase(`${this.body}\n${this.subwords}`, words);
  }

  /** Whether the text, the title or a heading contains a whole word, or one of their subwords is this word. */
  contains(word: string): boolean {
    const ascii = ASCII_WORD.test(word) ? this.asciiBody : null;
    return containsWord(ascii ?? this.body, word) || containsWord(this.#lowerTitle, word) ||
      containsWord(this.#lowerHeadings, word) ||
      this.#isComputed && this.#mayHaveSubword(word, ascii) && containsWord(this.subwords, word);
  }

  #lowerBody(): string {
    const { text, search_text } = this.#row;
    if (!this.#isComputed) return (search_text ?? text).toLowerCase();
    const { normalized } = this.#analysis;
    // Of a text in ASCII, both are the same.
    return (normalized === text ? this.asciiBody : null) ?? normalized.toLowerCase();
  }

  #mayHaveSubword(word: string, ascii: string | null): boolean {
    const { text } = this.#row;
    return mayHaveSubword({ text, words: ascii ?? this.body, isAligned: ascii !== null }, word);
  }

  /** Whether the normalized text is not stored. */
  get #isComputed(): boolean {
    return this.#row.search_text === "";
  }

  get #analysis(): SearchText {
    return this.#analyzed ??= analyzeForSearch(this.#row.text);
  }

  /**
   * Words of the {@linkcode body} in ASCII: faster to compute, and to search. Null if that cannot spell all of them.
   */
  get asciiBody(): string | null {
    if (this.#ascii === undefined) {
      const ascii = this.#isComputed ? asciiWords(this.#row.text) : this.body;
      this.#ascii = ascii === undefined || NOT_ASCII.test(ascii) ? null : ascii;
    }
    return this.#ascii;
  }

  get #lowerTitle(): string {
    return this.#title ??= this.#row.search_title.toLowerCase();
  }

  get #lowerHeadings(): string {
    const { search_heading, heading_path } = this.#row;
    return this.#headings ??= (search_heading !== "" ? search_heading : toSearchHeading(heading_path))
      .toLowerCase();
  }
}

/**
 * Returns whether a text contains words in sequence, with only other characters between them.
 *
 * @param text Text in lower case.
 * @param words Words of characters that the index keeps.
 */
export function containsPhrase(text: string, words: readonly string[]): boolean {
  const [first = ""] = words;
  for (let at = text.indexOf(first); at >= 0; at = text.indexOf(first, at + 1)) {
    if (!isWordBefore(text, at) && isPhraseAt(text, at, words)) return true;
  }
  return false;
}

function isPhraseAt(text: string, start: number, words: readonly string[]): boolean {
  let at = start;
  for (const [index, word] of words.entries()) {
    if (index > 0) {
      const gap = at;
      while (at < text.length && !isWordAt(text, at)) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
      if (at === gap) return false;
    }
    if (!text.startsWith(word, at)) return false;
    at += word.length;
  }
  return !isWordAt(text, at);
}

/** Whether the character at an offset belongs to a word. */
function isWordAt(text: string, offset: number): boolean {
  const code = text.charCodeAt(offset);
  if (code < 128) return isWordCharacter(text, offset);
  return offset < text.length && WORD_CHARACTER.test(String.fromCodePoint(text.codePointAt(offset) ?? 0));
}

/** Whether the character before an offset belongs to a word. */
function isWordBefore(text: string, offset: number): boolean {
  const isPair = (text.codePointAt(offset - 2) ?? 0) > 0xffff;
  return isWordAt(text, offset - (isPair ? 2 : 1));
}

const WORD_CHARACTER = new RegExp(`[${WORD_CHARACTERS}]`, "u");

function containsWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (!isWordCharacter(text, at - 1) && !isWordCharacter(text, at + word.length)) return true;
  }
  return false;
}

function isWordCharacter(text: string, offset: number): boolean {
  const code = text.charCodeAt(offset);
  if (code < 128) return (code >= 97 && code <= 122) || (code >= 48 && code <= 57);
  // A letter outside of the Basic Multilingual Plane; other characters there are separated by spaces.
  if ((code & 0xf800) === 0xd800) return true;
  return WORD_CHARACTER.test(text[offset] ?? "");
}
