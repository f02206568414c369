import * as z from "zod";
import { DOC_TYPES, MAX_TITLE_CHARS } from "../contract/rules/mod.ts";
import { EXTRACTION_ERROR_CODES, MAX_METADATA_CHARS } from "../extraction/mod.ts";
import { MAX_CHUNKS_PER_MESSAGE, type WorkerMessage } from "./messages.ts";

/** Maximum number of headings above a chunk. */
const MAX_HEADINGS = 16;
/** Maximum number of warnings about a document. */
const MAX_WARNINGS = 16;
/** Maximum number of tags of a document. */
const MAX_TAGS = 64;
/** Maximum length of a string in a message, in UTF-16 code units. */
const MAX_STRING_CHARS = 100_000;

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
