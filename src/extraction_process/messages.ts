import type {
  ChunkDraft,
  ChunkOptions,
  ContainedFileLimits,
  ExtractedText,
  ExtractionErrorCode,
} from "../extraction/mod.ts";

/** Maximum size of a message of the extraction process, in bytes. */
export const MAX_MESSAGE_BYTES = 4 * 2 ** 20;
/**
 * Maximum size of all messages about one file, in bytes. The longest text (`MAX_TEXT_CHARS`, 3 bytes each) needs
 * about 80 MB with its overlaps and positions. A longer one may have {@linkcode RESULT_BYTES_PER_CHAR}.
 */
export const MAX_RESULT_BYTES = 200 * 2 ** 20;
/** Maximum size of all messages about a file per character of its text, in bytes. */
export const RESULT_BYTES_PER_CHAR = 13;
/** Maximum number of chunks in a message. Short chunks reach it before the message is large. */
export const MAX_CHUNKS_PER_MESSAGE = 1000;

/** Announces a file; its bytes are the next frame, or the next frames. */
export interface FileMessage {
  /** File name given by the sender. */
  readonly filename?: string;
  /** Media type claimed by the sender. */
  readonly contentType?: string;
  /** Chunk sizes. */
  readonly chunk: ChunkOptions;
  /** Maximum length of the text, in UTF-16 code units. @default {MAX_TEXT_CHARS} */
  readonly maxTextChars?: number;
  /** Size of a long text, which is read as it arrives, in several frames. */
  readonly longTextBytes?: number;
  /** Limits of contained files. Unset: they are not wanted. */
  readonly fileLimits?: ContainedFileLimits;
}

/** Announces a contained file; frames with its bytes follow. */
export interface ContainedFileMessage {
  readonly type: "file";
  /** Path in the container: not trusted. */
  readonly path: string;
  /** Media type claimed by the container. */
  readonly contentType?: string;
  /** Total size of the frames that follow, in bytes. */
  readonly sizeBytes: number;
  /** The file cannot be unpacked. `sizeBytes` is 0. */
  readonly error?: { readonly code: ExtractionErrorCode; readonly message: string };
}

/** Extracted document, without its chunks. */
export type DocumentFields =
  & Pick<ExtractedText, "docType" | "tags">
  & {
    readonly title?: string;
    readonly metadata?: Record<string, unknown>;
    readonly warnings?: readonly string[];
  };

/** Progress of a file. */
export interface ProgressMessage {
  readonly type: "progress";
  readonly stage: "extracting" | "indexing";
  readonly unit: "pages" | "rows" | "files" | "chunks";
  readonly done: number;
  /** Unset: unknown. */
  readonly total?: number;
}

/** Message of the extraction process. */
export type WorkerMessage =
  /** The process has dropped its permissions and waits for a file. */
  | { readonly type: "ready" }
  | ProgressMessage
  /** The title of a document is known; its chunks follow. */
  | { readonly type: "start"; readonly title?: string }
  /** The next chunks of the document. */
  | { readonly type: "chunks"; readonly chunks: readonly Jsonified<ChunkDraft>[] }
  | ContainedFileMessage
  /** The file was an archive, and all its files have been sent. */
  | { readonly type: "unpacked"; readonly rssBytes: number }
  /** All chunks have been sent. */
  | { readonly type: "document"; readonly document: DocumentFields; readonly rssBytes: number }
  /** The file cannot become a document. */
  | {
    readonly type: "error";
    readonly code: ExtractionErrorCode;
    readonly message: string;
    readonly cause?: string;
    readonly rssBytes: number;
  };

/** A type after JSON, which omits undefined values. */
type Jsonified<T> =
  & { [K in keyof T as undefined extends T[K] ? never : K]: T[K] }
  & {
    [K in keyof T as undefined extends T[K] ? K : never]?: T[K];
  };
