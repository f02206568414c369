import type { DocType } from "../contract/mod.ts";

/** A file as the sender uploaded it. */
export interface SourceFile {
  /** The whole file. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** File name with its extension, without directories. */
  readonly filename: string | undefined;
  /** Media type claimed by the sender. The bytes take precedence. */
  readonly contentType: string | undefined;
}

/** Text and metadata of a file. */
export interface ExtractedText {
  /** Format that the file was read as. */
  readonly docType: DocType;
  /** Title found in the document: front matter, `<title>`, properties or first heading. */
  readonly title: string | undefined;
  /** NFC text with `\n` line ends. Contains at least one character that is not white space. */
  readonly text: string;
  /** Whether `#` headings, fences and lists in `text` are Markdown. */
  readonly markup: "markdown" | "plain";
  /** Offset in `text` of the start of each page. Only for paged formats. */
  readonly pageStarts: readonly number[] | undefined;
  /** Front matter or document properties, as JSON values. */
  readonly metadata: Record<string, unknown> | undefined;
  /** Tags from the front matter. */
  readonly tags: readonly string[];
}

/**
 * Extracts the text of one file format.
 *
 * @param file The file; its bytes may be detached.
 * @param name Name of the file for error messages.
 * @throws {ExtractionError}
 */
export type FormatExtractor = (file: SourceFile, name: string) => Promise<ExtractedText>;
