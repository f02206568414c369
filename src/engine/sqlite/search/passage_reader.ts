import type { Passages, PassageText, PassageWords } from "../../search/mod.ts";
import { collapseSpace, lazy } from "../../../text/mod.ts";
import type { ChunkMetadata } from "../index/mod.ts";
import { ChunkCache } from "./chunk_cache.ts";
import type { ChunkText } from "./chunk_text.ts";
import type { ChunkTexts } from "./chunk_texts.ts";
import type { StoredDocuments } from "./stored_documents.ts";

/** Maximum number of words of all sets in memory, about 2 MB. */
const MAX_CACHED_WORDS = 32_768;
/** Length of the start of a passage: few texts of equal length share as much. */
const START_CHARS = 48;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const ASCII_WORD = /[a-z0-9]+/g;

/** Options of {@linkcode PassageReader}. */
export interface PassageReaderOptions {
  /** Metadata of the chunks that exist in the current transaction. */
  readonly chunks: ChunkMetadata;
  readonly texts: ChunkTexts;
  readonly documents: StoredDocuments;
}

/** Reads passages to compare. What searches compare often stays in memory until the database changes. */
export class PassageReader implements Passages {
  readonly #options: PassageReaderOptions;
  readonly #words = new ChunkCache<PassageWords>(MAX_CACHED_WORDS);

  constructor(options: PassageReaderOptions) {
    this.#options = options;
  }

  /** Removes what was read of another version of the database. Call it first in every read transaction. */
  refresh(version: string): void {
    this.#words.refresh(version);
  }

  /** Returns the number of words of a passage, without title and headings. */
  wordCountOf(chunk: number): number {
    return this.#options.chunks.bodyLengthOf(chunk);
  }

  /** Returns the texts of passages, without title and headings. */
  textsOf(chunks: readonly number[]): ReadonlyMap<number, PassageText> {
    const existing = chunks.filter((id) => this.#options.chunks.documentOf(id) !== 0);
    const texts = new Map<number, PassageText>();
    for (const [id, text] of this.#options.texts.read(existing)) texts.set(id, passageText(text));
    return texts;
  }

  /** Returns the distinct words of a passage, without title and headings. */
  wordsOf(chunk: number): PassageWords | undefined {
    const words = this.#words.read(
      [chunk],
      () =>
        Array.from(this.#options.texts.read([chunk]), ([id, text]) => {
          const words = passageWords(text, this.wordCountOf(id));
          return [id, words, 1 + words.words.size + words.maxSubwords] as const;
        }),
    );
    return words.get(chunk);
  }

  /** Reads when the documents of passages last changed. */
  changeTimesOf(passages: readonly number[]): ReadonlyMap<number, string> {
    const { chunks, documents } = this.#options;
    const found = documents.read(passages.map((id) => chunks.documentOf(id)));
    const times = new Map<number, string>();
    for (const id of passages) {
      const document = found.get(chunks.documentOf(id));
      if (document) times.set(id, document.updated_at ?? document.created_at);
    }
    return times;
  }
}

function passageText(text: ChunkText): PassageText {
  return (part) => {
    if (part === 0) {
      const start = collapseSpace(text.bodyStart);
      // White space can be most of it.
      return (start.length > START_CHARS ? start : collapseSpace(text.body)).slice(0, START_CHARS);
    }
    if (part === 1) return collapseSpace(text.body);
    return part === 2 ? text.subwords : undefined;
  };
}

/** @param count Number of words with those of the subwords. */
function passageWords(text: ChunkText, count: number): PassageWords {
  const withSubwords = lazy(() => new Set(`${text.body}\n${text.subwords}`.match(WORD)));
  const found = text.asciiBody?.match(ASCII_WORD);
  // The index and Unicode classes may disagree about the words of other texts.
  if (!found) return { words: withSubwords(), maxSubwords: 0, withSubwords };
  return { words: new Set(found), maxSubwords: Math.max(0, count - found.length), withSubwords };
}
