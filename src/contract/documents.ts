import * as z from "zod";
import {
  Cursor,
  DateInput,
  Id,
  MAX_PAGE,
  MAX_SOURCE_PATH_CHARS,
  NoteText,
  Tag,
  Tags,
  Timestamp,
  Title,
} from "./primitives.ts";

/**
 * What kind of source a document was made from, as the embedded engine names them. An engine from elsewhere may
 * have others, so the type on the wire is a plain string.
 */
export const DOC_TYPES = ["note", "text", "markdown", "html", "pdf", "docx"] as const;
/** One of {@linkcode DOC_TYPES}. */
export type DocType = (typeof DOC_TYPES)[number];

/** Where a chunk stands in its document. Lines and pages count from 1; offsets are UTF-16 code units from 0. */
export const ChunkPlace = z.looseObject({
  /** Headings above the chunk, outermost first. */
  heading_path: z.array(z.string()).optional(),
  /** First page, for paged formats. */
  page_start: z.int().nullish(),
  /** Last page, for paged formats. */
  page_end: z.int().nullish(),
  /** First line, for line-based formats. */
  line_start: z.int().nullish(),
  /** Last line, for line-based formats. */
  line_end: z.int().nullish(),
  /** Where the chunk starts in the extracted text. */
  char_start: z.int().nullish(),
  /** Where the chunk ends in the extracted text (exclusive). */
  char_end: z.int().nullish(),
});
/** Inferred from {@linkcode ChunkPlace}. */
export type ChunkPlace = z.infer<typeof ChunkPlace>;

/** A stretch of a document's text, the unit that search finds. */
export const Chunk = ChunkPlace.extend({
  chunk_id: Id,
  /** Position in the document, from 0. */
  index: z.int().nonnegative().optional(),
  text: z.string(),
});
/** Inferred from {@linkcode Chunk}. */
export type Chunk = z.infer<typeof Chunk>;

/** A document without its text. */
export const DocumentSummary = z.looseObject({
  document_id: Id,
  title: z.string().nullable(),
  doc_type: z.string(),
  source_path: z.string().nullish(),
  tags: z.array(z.string()),
  created_at: Timestamp.nullish(),
  /** Null until the document is modified (a note's text, a tag): decision D4. */
  updated_at: Timestamp.nullish(),
  /** SHA-256 of the source bytes, hexadecimal. */
  content_hash: z.string().nullish(),
  /** Bytes of the source. */
  size_bytes: z.int().nullish(),
  chunk_count: z.int().nullish(),
});
/** Inferred from {@linkcode DocumentSummary}. */
export type DocumentSummary = z.infer<typeof DocumentSummary>;

/** A document with its chunks, in reading order. */
export const Document = DocumentSummary.extend({
  chunks: z.array(Chunk).optional(),
  /** Chunks in the whole document, when `chunks` is a page of them. */
  chunks_total: z.int().nonnegative().optional(),
  /** Index of the first chunk in `chunks`. */
  chunks_offset: z.int().nonnegative().optional(),
  /** Front matter of a note, by field; null when there is none. Absent before contract 3.1. */
  metadata: z.record(z.string(), z.unknown()).nullish(),
});
/** Inferred from {@linkcode Document}. */
export type Document = z.infer<typeof Document>;

/** Query of `GET /api/v1/documents/{id}`. Everything optional; without it, all chunks are answered. */
export const DocumentQuery = z.object({
  /** `false` leaves the chunks out. */
  chunks: z.stringbool().optional(),
  /** First chunk, from 0. */
  offset: z.coerce.number().int().nonnegative().optional(),
  /** Most chunks. */
  limit: z.coerce.number().int().positive().max(1000).optional(),
});
/** Inferred from {@linkcode DocumentQuery}. */
export type DocumentQuery = z.infer<typeof DocumentQuery>;

/** Query of `GET /api/v1/documents`. */
export const DocumentsQuery = z.object({
  source_path: z.string().min(1).max(MAX_SOURCE_PATH_CHARS).optional(),
  tag: Tag.optional(),
  doc_type: z.string().min(1).max(50).optional(),
  /** Modified (or, never modified, created) at this time or later. */
  since: DateInput.optional(),
  limit: z.coerce.number().int().positive().max(MAX_PAGE).default(50),
  cursor: Cursor.optional(),
});
/** What a caller of `GET /api/v1/documents` may give. */
export type DocumentsQuery = z.input<typeof DocumentsQuery>;

/** Answer of `GET /api/v1/documents`: newest first by `COALESCE(updated_at, created_at)`. */
export const DocumentPage = z.looseObject({
  documents: z.array(DocumentSummary),
  /** Documents that match, on all pages. */
  total: z.int().nonnegative().nullish(),
  next_cursor: z.string().nullish(),
});
/** Inferred from {@linkcode DocumentPage}. */
export type DocumentPage = z.infer<typeof DocumentPage>;

/** Answer of `DELETE /api/v1/documents/{id}`. */
export const DeletedDocument = z.looseObject({
  status: z.literal("deleted"),
  document_id: Id,
  title: z.string().nullish(),
});
/** Inferred from {@linkcode DeletedDocument}. */
export type DeletedDocument = z.infer<typeof DeletedDocument>;

/** Body of `POST /api/v1/documents/{id}/tags`: removes, then adds, in one transaction. */
export const TagChange = z.object({
  remove: Tags.default([]),
  add: Tags.default([]),
  /** Also removes every tag that starts with this, except those in `add`. Ignored before contract 3.1. */
  remove_prefix: z.string().min(1).max(200).optional(),
});
/** Inferred from {@linkcode TagChange}. */
export type TagChange = z.infer<typeof TagChange>;

/** Answer of `POST /api/v1/documents/{id}/tags`. */
export const DocumentTags = z.looseObject({
  document_id: Id,
  tags: z.array(z.string()),
  updated_at: Timestamp.nullish(),
});
/** Inferred from {@linkcode DocumentTags}. */
export type DocumentTags = z.infer<typeof DocumentTags>;

/** Body of `PATCH /api/v1/notes/{id}` (decision D3). */
export const NotePatch = z.object({ text: NoteText, title: Title.optional() });
/** Inferred from {@linkcode NotePatch}. */
export type NotePatch = z.infer<typeof NotePatch>;
