import { headingText } from "../store/read_only.ts";
import { NormalizedText } from "./normalized_text.ts";
import { containsPhrase, containsWord, isOnlyInDecimals } from "./words_in_text.ts";

/** Size of the objects of a text, without its characters. */
const OBJECTS_SIZE = 256;
const START_CHARS = 128;
const NO_HEADINGS = new NormalizedText("", { isNormalized: true });

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

/** The text of a chunk, its title and its headings in lower case as the index normalizes them. */
export class ChunkText<Row extends ChunkTextRow = ChunkTextRow> {
  /** The chunk as it is stored. */
  readonly row: Row;
  readonly #text: NormalizedText;
  #title: string | undefined;
  #headings: NormalizedText | undefined;
  /** Approximate size in UTF-16 code units. */
  readonly size: number;

  constructor(row: Row) {
    const { text, search_text, search_title, heading_path } = row;
    this.row = row;
    this.#text = search_text === ""
      ? new NormalizedText(text, { isNormalized: false })
      : new NormalizedText(search_text ?? text, { isNormalized: true });
    this.size = OBJECTS_SIZE + 2 * (text.length + search_title.length + heading_path.length);
  }

  /** Text without title, headings and subwords. */
  get body(): string {
    return this.#text.body;
  }

  /** Start of the {@linkcode body}. */
  get bodyStart(): string {
    return this.#text.start(START_CHARS);
  }

  /** Words of the {@linkcode body} in ASCII. Null if that cannot spell all of them. */
  get asciiBody(): string | null {
    return this.#text.asciiBody;
  }

  /** Subwords of the {@linkcode body}, which take much longer to find than all else. */
  get subwords(): string {
    return this.#text.subwords;
  }

  /** Whether the text, the title or the headings contain words in sequence. */
  containsPhrase(words: readonly string[]): boolean {
    return this.#text.hasPhrase(words) || containsPhrase(this.#lowerTitle, words) ||
      this.#lowerHeadings.hasPhrase(words);
  }

  /** Whether the text, the title or a heading contains a whole word, or one of their subwords is this word. */
  contains(word: string): boolean {
    return this.#text.hasWord(word) || containsWord(this.#lowerTitle, word) ||
      this.#lowerHeadings.hasWord(word) ||
      this.#text.hasSubword(word) || this.#lowerHeadings.hasSubword(word);
  }

  /** Whether the text, the title and the headings contain a number only as a part of others: `123` in `123.3`. */
  hasOnlyInDecimals(digits: string): boolean {
    const found = [this.row.text, this.row.search_title, this.row.heading_path]
      .filter((text) => containsWord(text, digits));
    return found.length > 0 && found.every((text) => isOnlyInDecimals(text, digits));
  }

  get #lowerTitle(): string {
    return this.#title ??= this.row.search_title.toLowerCase();
  }

  get #lowerHeadings(): NormalizedText {
    return this.#headings ??= this.#normalizedHeadings();
  }

  #normalizedHeadings(): NormalizedText {
    const { search_heading, heading_path } = this.row;
    if (heading_path === "[]") return NO_HEADINGS;
    if (search_heading !== "") return new NormalizedText(search_heading, { isNormalized: true });
    return new NormalizedText(headingText(heading_path), { isNormalized: false });
  }
}
