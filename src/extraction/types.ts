import type { DocType } from "../contract/rules/mod.ts";
import type { ExtractionError } from "./errors.ts";
import type { Ocr } from "./ocr/mod.ts";

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
  /**
   * Headings of a text without Markdown headings (functions and classes of source code), by ascending offset.
   * Chunks start at them as they start at Markdown headings.
   */
  readonly outline?: readonly OutlineEntry[];
  /** Doubts about the text, as sentences for its sender: a guessed encoding, pages that could not be read. */
  readonly warnings?: readonly string[];
}

/** A heading that is not marked in the text. */
export interface OutlineEntry {
  /** Offset in the text at which its section starts. */
  readonly start: number;
  /** 1 to 6; a section ends at the next entry of the same or a lower level. */
  readonly level: number;
  /** Title for the `heading_path`. */
  readonly title: string;
}

/** A file inside of another one: an attachment, or a file of an archive. Has either its bytes or an error. */
export type ContainedFile =
  & {
    /** Path inside of the archive, or name of the attachment, as the container has it: not trusted. */
    readonly path: string;
    /** Media type claimed by the container. */
    readonly contentType?: string;
  }
  & (
    | { readonly bytes: Uint8Array<ArrayBuffer>; readonly error?: undefined }
    /** The container holds a file that cannot be unpacked, such as an encrypted one. */
    | { readonly bytes?: undefined; readonly error: ExtractionError }
  );

/** Limits of the files inside of one file. */
export interface ContainedFileLimits {
  /** Maximum number of files. */
  readonly maxFiles: number;
  /** Maximum size of one file in bytes; larger ones fail, each for itself. */
  readonly maxFileBytes: number;
  /** Maximum size of all files in bytes. */
  readonly maxTotalBytes: number;
}

/** Progress of an extraction, in the unit of the format. */
export interface ExtractionProgress {
  readonly unit: "pages" | "rows" | "files";
  readonly done: number;
  readonly total?: number;
}

/** Surroundings of an extraction. */
export interface ExtractionContext {
  /** Name of the file for error messages. */
  readonly name: string;
  /** Maximum length of the text, in UTF-16 code units. */
  readonly maxTextChars: number;
  /** Called at times. */
  readonly onProgress: (progress: ExtractionProgress) => void;
  /**
   * Limits of the files that are passed to `onFile`. Undefined: none are accepted. An archive is then refused, and
   * a message names its attachments in a warning.
   */
  readonly fileLimits: ContainedFileLimits | undefined;
  /**
   * Takes a file that becomes a document of its own, with a job of its own. Resolves when the next one can be
   * passed.
   *
   * @throws {ExtractionError} `too_large` over the `fileLimits`.
   */
  readonly onFile: (file: ContainedFile) => Promise<void>;
  /** Reads the text in images; undefined without language data. */
  readonly ocr: Ocr | undefined;
}

/**
 * Extracts the text of one file format.
 *
 * @param file The file; its bytes may be detached.
 * @returns `null` for an archive, which has no text of its own: its files have been passed to `onFile`.
 * @throws {ExtractionError}
 */
export type FormatExtractor = (file: SourceFile, context: ExtractionContext) => Promise<ExtractedText | null>;
