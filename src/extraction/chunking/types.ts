import type { ExtractedText } from "../types.ts";

/** Text to split into chunks. */
export type ChunkSource =
  & Pick<ExtractedText, "text" | "markup" | "pageStarts" | "outline">
  & Partial<Pick<ExtractedText, "docType">>;

/** Chunk sizes in approximate tokens (see `approximateTokens` in tokens.ts). */
export interface ChunkOptions {
  /** Maximum size of a chunk: an integer, at least 16. */
  readonly maxTokens: number;
  /** Maximum size of the text that a chunk repeats from the previous one: at most half of `maxTokens`. */
  readonly overlapTokens: number;
}

/**
 * A chunk without an id. Offsets are UTF-16 code units in the extracted text; lines and pages count from 1.
 */
export interface ChunkDraft {
  /**
   * The text from `charStart` to `charEnd`, without white space at its ends; after `repeatedChars` characters that
   * repeat the header row of the table in which the chunk starts.
   */
  readonly text: string;
  /** Number of characters at the start of `text` that repeat a header row with its line end. @default {0} */
  readonly repeatedChars?: number;
  /** Headings above the chunk, outermost first, including its own unless it contains several sections. */
  readonly headingPath: readonly string[];
  /** Start offset. */
  readonly charStart: number;
  /** End offset (exclusive). */
  readonly charEnd: number;
  /** Line of the first character. */
  readonly lineStart: number;
  /** Line of the last character. */
  readonly lineEnd: number;
  /** Page of the first character. Only for paged formats. */
  readonly pageStart: number | undefined;
  /** Page of the last character. Only for paged formats. */
  readonly pageEnd: number | undefined;
}

/** A range of offsets in a text; `end` is exclusive. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}
