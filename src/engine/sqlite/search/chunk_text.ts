import { analyzeForSearch, WORD_CHARACTERS } from "../../../analysis/mod.ts";
import { lazy } from "../../../text/mod.ts";
import { toSearchHeading } from "../store/mod.ts";

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

/**
 * The text of a chunk in lower case as the index normalizes it. The parts of it are computed when they are needed:
 * the words of a query are mostly in the text itself, and the search for subwords in it takes several times as long
 * as all else.
 */
export class ChunkText {
  readonly #body: string;
  readonly #subwords: () => string;
  readonly #mayHaveSubword: (word: string) => boolean;
  readonly #title: string;
  readonly #headings: () => string;
  /** Approximate size in UTF-16 code units. */
  readonly size: number;

  constructor({ text, search_text, heading_path, search_heading, search_title }: ChunkTextRow) {
    if (search_text === "") {
      const { normalized, subwords, mayHaveSubword } = analyzeForSearch(text);
      this.#body = normalized.toLowerCase();
      this.#subwords = lazy(() => subwords().toLowerCase());
      this.#mayHaveSubword = mayHaveSubword;
    } else {
      this.#body = (search_text ?? text).toLowerCase();
      this.#subwords = () => "";
      this.#mayHaveSubword = () => false;
    }
    this.size = OBJECTS_SIZE + 2 * (text.length + search_title.length + heading_path.length);
    this.#title = search_title.toLowerCase();
    this.#headings = lazy(() =>
      (search_heading !== "" ? search_heading : toSearchHeading(heading_path)).toLowerCase()
    );
  }

  /** Text without title and headings, followed by its subwords. */
  get body(): string {
    const subwords = this.#subwords();
    return subwords === "" ? this.#body : `${this.#body}\n${subwords}`;
  }

  /** Start of the {@linkcode body}, without its subwords, which take longer to find than all else. */
  get bodyStart(): string {
    return this.#body.slice(0, START_CHARS);
  }

  /** Whether the text, the title or the headings contain words in sequence. */
  containsPhrase(words: readonly string[]): boolean {
    return containsPhrase(this.#body, words) || containsPhrase(this.#title, words) ||
      containsPhrase(this.#headings(), words) || containsPhrase(this.body, words);
  }

  /** Whether the text, the title or a heading contains a whole word, or one of their subwords is this word. */
  contains(word: string): boolean {
    return containsWord(this.#body, word) || containsWord(this.#title, word) ||
      containsWord(this.#headings(), word) ||
      this.#mayHaveSubword(word) && containsWord(this.#subwords(), word);
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
