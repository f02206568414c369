import type { DocType } from "../../contract/rules/mod.ts";
import type { ChunkDraft, ChunkOptions } from "../../extraction/mod.ts";

/** What the index of a text contains, computed before the text is written. Belongs to one back end. */
export interface PreparedText {
  /** Title of the document. It is part of the index, and its language counts for that of the text. */
  readonly title: string;
  /** Derived terms of the title. */
  readonly derivedTitle: string;
  /** Language of the text, or null. */
  readonly language: string | null;
  /** Languages of derived terms. */
  readonly stemmed: readonly string[];
  /** Version of the analysis. */
  readonly version: number;
  /** One for each chunk of the text, in the same order. */
  readonly chunks: readonly PreparedChunk[];
}

/** What the index of a chunk contains. */
export interface PreparedChunk {
  /** Normalized text; null: equal to the text. */
  readonly searchText: string | null;
  /** Normalized headings. */
  readonly heading: string;
  /** Derived terms of headings and text. Unset without languages. */
  readonly derived?: readonly [heading: string, body: string];
}

/** A small text file to read in this process. */
export interface TextFile {
  readonly bytes: Uint8Array;
  /** File name given by the sender. */
  readonly filename?: string | undefined;
  /** Media type claimed by the sender. */
  readonly contentType?: string | undefined;
  /** Title given by the sender. */
  readonly title?: string | undefined;
  /** Chunk sizes. */
  readonly chunk: ChunkOptions;
}

/** The document in a text file, with its chunks and their index. */
export interface TextDocument {
  /** Document type. */
  readonly docType: DocType;
  /** Title found in the document; that of the job takes precedence. */
  readonly title?: string;
  /** Front matter or document properties, as JSON values. */
  readonly metadata?: Record<string, unknown>;
  /** Tags found in the document, added to those of the job. `collection:` tags are ignored. */
  readonly tags: readonly string[];
  /** Doubts about the text, as sentences. */
  readonly warnings?: readonly string[];
  /** Text in reading order. */
  readonly chunks: readonly ChunkDraft[];
  readonly prepared: PreparedText;
}

/**
 * Reads a small Markdown or plain text file outside of the extraction process.
 *
 * @returns Undefined for any other file, one that cannot be read, and while the reader is not available: the extraction
 * process reads it, and reports why it cannot.
 */
export type ReadText = (file: TextFile) => Promise<TextDocument | undefined>;
