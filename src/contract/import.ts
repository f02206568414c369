import * as z from "zod";
import { Id, SourcePath, Tag, Title, Version } from "./primitives.ts";
import { DOC_TYPES, type DocType } from "./rules/formats.ts";
import { MAX_NOTE_CHARS, MAX_TEXT_CHARS } from "./rules/limits.ts";
import { isMetadataShallow } from "./rules/metadata.ts";
import { isCollectionTag } from "./rules/tags.ts";
import { SourceName } from "./sources.ts";

/** Maximum number of documents in a request. */
export const MAX_IMPORTED_DOCUMENTS = 100;
/** Maximum size of the body of an import in bytes: a text of maximum length, of three bytes a character. */
export const MAX_IMPORT_BYTES = 56 * 2 ** 20;
/** Maximum number of values in the body of an import: 16,000 chunks with their locations. */
export const MAX_IMPORT_VALUES = 300_000;
/** Maximum id that an import can choose, which leaves enough ids for later documents. */
const MAX_IMPORTED_ID = 1_000_000_000_000;
/** Maximum length of the metadata of an imported document, as JSON in UTF-16 code units. */
const MAX_IMPORTED_METADATA_CHARS = 65_536;

/** Types of documents that an import can create. */
export const IMPORTED_TYPES: readonly DocType[] = DOC_TYPES;

/** A time in RFC 3339, such as `2026-03-31T09:00:00.000Z`. Stored in UTC with milliseconds. */
const ImportedTime = z.iso.datetime({ offset: true });
const Offset = z.int().min(0).max(MAX_TEXT_CHARS);
const Position = z.int().min(1).max(MAX_TEXT_CHARS);
/** SHA-256 in hexadecimal. */
const Hash = z.string().regex(/^[0-9a-f]{64}$/, "must be SHA-256 in lower-case hexadecimal");

/** Maximum length of a header row that chunks repeat, in UTF-16 code units. */
const MAX_REPEATED_CHARS = 10_000;

/** Location of a chunk in the `text` of an imported document. */
export const ImportedChunk = z.object({
  /** Start, in UTF-16 code units. */
  char_start: Offset,
  /** End, exclusive. */
  char_end: Offset,
  line_start: Position,
  line_end: Position,
  heading_path: z.array(z.string().max(1_000)).max(64).default([]),
  page_start: Position.nullish(),
  page_end: Position.nullish(),
  /** Start of the header row that the chunk repeats, as far as `char_start`. Since contract 3.5. */
  repeated_start: Offset.nullish(),
  /** Length of that header row with its line end. Since contract 3.5. */
  repeated_chars: z.int().min(0).max(MAX_REPEATED_CHARS).nullish(),
});
/** Inferred from {@linkcode ImportedChunk}. */
export type ImportedChunk = z.infer<typeof ImportedChunk>;

/** A document to import. */
export const ImportedDocument = z.object({
  /** Id to keep. A new document gets it if no document has had it or a later one. Only with `exact`. */
  document_id: z.int().min(1).max(MAX_IMPORTED_ID).optional(),
  /** Default: derived from the text. */
  title: Title.optional(),
  doc_type: z.enum(IMPORTED_TYPES).default("note"),
  /** Text without front matter. */
  text: z.string().max(MAX_TEXT_CHARS).regex(/\S/, "must not be empty"),
  /** Chunks in reading order. Default: the engine splits the text. */
  chunks: z.array(ImportedChunk).min(1).max(100_000).optional(),
  source_path: SourcePath.optional(),
  /** Source that the document followed. While an engine has that source, the document is skipped. */
  source: SourceName.nullish(),
  /** Tags, at most one of them a collection. */
  tags: z.array(Tag).max(256).refine(
    (tags) => tags.filter(isCollectionTag).length <= 1,
    "must name at most one collection",
  ).default([]),
  metadata: z.record(z.string(), z.unknown()).refine(
    (metadata) =>
      isMetadataShallow(metadata) && JSON.stringify(metadata).length <= MAX_IMPORTED_METADATA_CHARS,
    `must have at most ${MAX_IMPORTED_METADATA_CHARS} characters as JSON and 32 levels`,
  ).nullish(),
  /** Default: now. */
  created_at: ImportedTime.nullish(),
  updated_at: ImportedTime.nullish(),
  /** Version of a new document. Default: 1. */
  version: Version.max(1_000_000_000).nullish(),
  /** SHA-256 of the file or note that the text comes from. Default: that of the text. */
  content_hash: Hash.optional(),
  /** `content_hash` of the document before it was edited outside the engine, to find it. */
  previous_hash: Hash.optional(),
  /** Size of the file or note in bytes. Default: that of the text. */
  size_bytes: z.int().nonnegative().optional(),
  /** Doubts about the text. Since contract 3.5. */
  warning: z.string().max(2_000).nullish(),
}).refine(({ doc_type, text }) => doc_type !== "note" || text.length <= MAX_NOTE_CHARS, {
  message: `of a note must have at most ${MAX_NOTE_CHARS} characters`,
  path: ["text"],
}).refine(({ text, chunks = [] }) => chunks.every((each) => isInside(each, text)), {
  message: "must have a start before their end, inside the text, and repeat only text before their start",
  path: ["chunks"],
});
/** A document to import before parsing. */
export type ImportedDocument = z.input<typeof ImportedDocument>;

function isInside(chunk: ImportedChunk, text: string): boolean {
  const { char_start: start, char_end: end, repeated_start, repeated_chars } = chunk;
  return start < end && end <= text.length && (repeated_start ?? 0) + (repeated_chars ?? 0) <= start;
}

/** Body of `POST /api/v1/documents/import`. Since contract 3.4. */
export const ImportRequest = z.object({
  documents: z.array(ImportedDocument).min(1).max(MAX_IMPORTED_DOCUMENTS),
  /**
   * Makes the stored documents equal to these, tags and collection included, and keeps ids. Otherwise tags are
   * added, a stored document stays in its collection, and one that was changed here since is left alone.
   */
  exact: z.boolean().default(false),
  /** Replaces a document of another kind at the `source_path`. */
  overwrite: z.boolean().default(false),
});
/** Body of `POST /api/v1/documents/import` before parsing. */
export type ImportRequest = z.input<typeof ImportRequest>;

/** Result of importing a document. */
export const ImportResult = z.looseObject({
  /** `created`, `updated`, `unchanged`, `skipped` (a source of the engine has it) or `failed`. */
  status: z.string(),
  /** The stored document. */
  document_id: Id.nullish(),
  /** Reason of a failure, for programs: `invalid`, `conflict` or `internal`. */
  code: z.string().nullish(),
  /** Reason of a failure, for people. */
  error: z.string().nullish(),
});
/** Inferred from {@linkcode ImportResult}. */
export type ImportResult = z.infer<typeof ImportResult>;

/** Response of `POST /api/v1/documents/import`: a result for each document, in the same order. */
export const ImportResponse = z.looseObject({ results: z.array(ImportResult) });
/** Inferred from {@linkcode ImportResponse}. */
export type ImportResponse = z.infer<typeof ImportResponse>;
