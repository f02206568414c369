import * as z from "zod";
import { MAX_TITLE_CHARS } from "../contract/mod.ts";
import type { ChunkDraft, ChunkOptions, ExtractionErrorCode } from "../extraction/mod.ts";
import type { ExtractedText } from "../extraction/mod.ts";

/** Maximum size of a message of the extraction process, in bytes. */
export const MAX_MESSAGE_BYTES = 4 * 2 ** 20;
/**
 * Maximum size of all messages about one file, in bytes. The longest text (`MAX_TEXT_CHARS`, 3 bytes each) needs
 * about 80 MB with its overlaps and positions.
 */
export const MAX_RESULT_BYTES = 200 * 2 ** 20;
/** Maximum length of a string in a message, in UTF-16 code units. */
const MAX_STRING_CHARS = 100_000;

/** Announces a file; its bytes are the next frame. */
export interface FileMessage {
  /** File name given by the sender. */
  readonly filename?: string;
  /** Media type claimed by the sender. */
  readonly contentType?: string;
  /** Chunk sizes. */
  readonly chunk: ChunkOptions;
}

/** Extracted document, without its chunks. */
export type DocumentFields =
  & Pick<ExtractedText, "docType" | "tags">
  & { readonly title?: string; readonly metadata?: Record<string, unknown> };

/** Message of the extraction process. */
export type WorkerMessage =
  /** The process has dropped its permissions and waits for a file. */
  | { readonly type: "ready" }
  | { readonly type: "progress"; readonly stage: string; readonly progress: number }
  /** The next chunks of the document. */
  | { readonly type: "chunks"; readonly chunks: readonly Jsonified<ChunkDraft>[] }
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
  headingPath: z.array(text).max(16),
  charStart: integer,
  charEnd: integer,
  lineStart: integer,
  lineEnd: integer,
  pageStart: integer.optional(),
  pageEnd: integer.optional(),
});

const document = z.object({
  docType: z.enum(["note", "text", "markdown", "html", "pdf", "docx"]),
  tags: z.array(text).max(64),
  title: z.string().max(MAX_TITLE_CHARS).optional(),
  metadata: z.record(z.string(), z.json()).optional(),
});

const workerMessage = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ready") }),
  z.object({ type: z.literal("progress"), stage: z.enum(["indexing"]), progress: z.number().min(0).max(1) }),
  z.object({ type: z.literal("chunks"), chunks: z.array(chunk) }),
  z.object({ type: z.literal("document"), document, rssBytes: integer }),
  z.object({
    type: z.literal("error"),
    code: z.enum(["unsupported_type", "no_text", "too_large", "damaged", "timeout", "internal"]),
    message: text,
    cause: text.optional(),
    rssBytes: integer,
  }),
]);

/**
 * Parses a message of the extraction process, which is not trusted after it has read a file.
 *
 * @throws {SyntaxError | z.ZodError} When the message is invalid.
 */
export function parseWorkerMessage(payload: Uint8Array): WorkerMessage {
  return workerMessage.parse(JSON.parse(new TextDecoder().decode(payload))) as WorkerMessage;
}
