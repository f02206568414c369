import type { DocType } from "../contract/mod.ts";

/** A file as it came: its bytes and what the sender said of it. */
export interface SourceFile {
  /** All of its bytes. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Name with its extension, without directories. */
  readonly filename: string | undefined;
  /** Media type that the sender claimed; the bytes have the last word. */
  readonly contentType: string | undefined;
}

/** The text of a file, and what else it says of itself. */
export interface ExtractedText {
  /** What it was read as. */
  readonly docType: DocType;
  /** What the document calls itself (front matter, `<title>`, metadata, first heading); undefined: it does not say. */
  readonly title: string | undefined;
  /** NFC text with `\n` line ends. Never only white space. */
  readonly text: string;
  /** Whether `#` headings, fences and lists in `text` are Markdown. */
  readonly markup: "markdown" | "plain";
  /** For paged formats: offset in `text` at which each page starts, first page first. */
  readonly pageStarts: readonly number[] | undefined;
  /** Front matter or document properties, as JSON values. */
  readonly metadata: Record<string, unknown> | undefined;
  /** Tags that the document names itself (front matter). */
  readonly tags: readonly string[];
}

/** What `chunkText` needs to know of a text. */
export type ChunkSource = Pick<ExtractedText, "text" | "markup" | "pageStarts">;

/** Sizes in approximate tokens, of 4 UTF-16 code units each (1 for CJK, kana, Hangul and Thai). */
export interface ChunkOptions {
  /** Most tokens of a chunk: an integer, 16 at least. */
  readonly maxTokens: number;
  /** Most tokens that a chunk repeats of the one before: at most half of `maxTokens`. */
  readonly overlapTokens: number;
}

/** A chunk before it has an id. Offsets are UTF-16 code units in the extracted text; lines and pages count from 1. */
export interface ChunkDraft {
  /** `charStart` to `charEnd` of the extracted text, without white space at its ends. */
  readonly text: string;
  /** Headings above it, outermost first. Its own is among them, unless it holds several sections. */
  readonly headingPath: readonly string[];
  /** Where it starts. */
  readonly charStart: number;
  /** Where it ends (exclusive). */
  readonly charEnd: number;
  /** Line of its first character. */
  readonly lineStart: number;
  /** Line of its last character. */
  readonly lineEnd: number;
  /** Page of its first character; only for paged formats. */
  readonly pageStart: number | undefined;
  /** Page of its last character; only for paged formats. */
  readonly pageEnd: number | undefined;
}

/** Codes of the reasons for which a file cannot become a document; `Job.error_code` in the contract. */
export type ExtractionErrorCode =
  | "unsupported_type"
  | "no_text"
  | "too_large"
  | "damaged"
  | "timeout"
  | "internal";

/** A file that cannot become a document. The message is for the person or model that sent it. */
export class ExtractionError extends Error {
  /** For logs. */
  override name = "ExtractionError";
  /** Why. */
  readonly code: ExtractionErrorCode;

  /** `message` names the file and says what to do next. */
  constructor(code: ExtractionErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
