import * as z from "zod";
import { DOC_TYPES, MAX_TITLE_CHARS } from "../contract/mod.ts";
import {
  type ChunkDraft,
  type ChunkOptions,
  type ContainedFileLimits,
  EXTRACTION_ERROR_CODES,
  MAX_METADATA_CHARS,
} from "../extraction/mod.ts";
import type { ExtractedText, ExtractionErrorCode } from "../extraction/mod.ts";

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
/** Maximum number of headings above a chunk. */
const MAX_HEADINGS = 16;
/** Maximum number of warnings about a document. */
const MAX_WARNINGS = 16;
/** Maximum number of tags of a document. */
const MAX_TAGS = 64;
/** Maximum length of a string in a message, in UTF-16 code units. */
const MAX_STRING_CHARS = 100_000;

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

const text = z.string().max(MAX_STRING_CHARS);
const integer = z.int().min(0);

const chunk = z.object({
  text,
  repeatedChars: integer.optional(),
  headingPath: z.array(text).max(MAX_HEADINGS),
  charStart: integer,
  charEnd: integer,
  lineStart: integer,
  lineEnd: integer,
  pageStart: integer.optional(),
  pageEnd: integer.optional(),
});

const document = z.object({
  docType: z.enum(DOC_TYPES),
  warnings: z.array(text).max(MAX_WARNINGS).optional(),
  tags: z.array(text).max(MAX_TAGS),
  title: z.string().max(MAX_TITLE_CHARS).optional(),
  metadata: z.record(z.string(), z.json()).optional(),
});

const workerMessage = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ready") }),
  z.object({
    type: z.literal("progress"),
    stage: z.enum(["extracting", "indexing"]),
    unit: z.enum(["pages", "rows", "files", "chunks"]),
    done: integer,
    total: integer.optional(),
  }),
  z.object({ type: z.literal("start"), title: z.string().max(MAX_TITLE_CHARS).optional() }),
  z.object({ type: z.literal("chunks"), chunks: z.array(z.unknown()).max(MAX_CHUNKS_PER_MESSAGE) }),
  z.object({
    type: z.literal("file"),
    path: text,
    contentType: text.optional(),
    sizeBytes: integer,
    error: z.object({ code: z.enum(EXTRACTION_ERROR_CODES), message: text }).optional(),
  }),
  z.object({ type: z.literal("unpacked"), rssBytes: integer }),
  z.object({ type: z.literal("document"), document, rssBytes: integer }),
  z.object({
    type: z.literal("error"),
    code: z.enum(EXTRACTION_ERROR_CODES),
    message: text,
    cause: text.optional(),
    rssBytes: integer,
  }),
]);

/**
 * Parses a message of the extraction process, which is not trusted after it has read a file.
 *
 * Threat: zod reads a list to its end before it checks the length, and describes every wrong item. 4 MB of
 * zeros in place of chunks would block the engine for 15 s and take 2 GiB. Sizes are checked first, and chunks
 * one by one.
 *
 * @throws {Error} When the message is invalid. The error is short: it names the field without its value.
 */
export function parseWorkerMessage(payload: Uint8Array): WorkerMessage {
  const value: unknown = JSON.parse(new TextDecoder().decode(payload));
  checkLength(value, "chunks", MAX_CHUNKS_PER_MESSAGE);
  const received = field(value, "document");
  checkLength(received, "tags", MAX_TAGS);
  checkLength(received, "warnings", MAX_WARNINGS);
  const metadata = field(received, "metadata");
  if (metadata !== undefined && JSON.stringify(metadata).length > MAX_METADATA_CHARS) {
    throw new Error("Invalid message: metadata is too long");
  }
  const message = parse(workerMessage, value, "message");
  if (message.type !== "chunks") return message as WorkerMessage;
  const chunks = message.chunks.map((each, index) => {
    checkLength(each, "headingPath", MAX_HEADINGS);
    return parse(chunk, each, `chunks.${index}`);
  });
  return { type: "chunks", chunks } as WorkerMessage;
}

/** @throws {Error} When the value is invalid. A ZodError as its cause would put the whole message into the log. */
function parse<T>(schema: z.ZodType<T>, value: unknown, name: string): T {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  // Without the names of metadata, which come from the file.
  const path = [name, ...error.issues[0]?.path.slice(0, 2) ?? []].map(String).join(".");
  throw new Error(`Invalid message: ${path} has a wrong value`);
}

function checkLength(value: unknown, name: string, maxLength: number): void {
  const list = field(value, name);
  if (Array.isArray(list) && list.length > maxLength) {
    throw new Error(`Invalid message: ${name} must have at most ${maxLength} items, got ${list.length}`);
  }
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
