import * as z from "zod";
import { Cursor, DateInput, Id, NoteText, Tag, Tags, Timestamp, Title, Version } from "./primitives.ts";
import { MAX_PAGE, MAX_SOURCE_PATH_CHARS } from "./rules/limits.ts";

/**
 * Location of a chunk in its document. Lines and pages count from 1, offsets are UTF-16 code units from 0.
 */
export const ChunkLocation = z.looseObject({
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
  /** Start in the extracted text. */
  char_start: z.int().nullish(),
  /** End in the extracted text, exclusive. */
  char_end: z.int().nullish(),
  /**
   * Number of characters at the start of `text` that repeat the header row of the table in which the chunk starts.
   * The text of the range `char_start` to `char_end` follows them. Since contract 3.5.
   */
  repeated_chars: z.int().nonnegative().nullish(),
});
/** Inferred from {@linkcode ChunkLocation}. */
export type ChunkLocation = z.infer<typeof ChunkLocation>;

/** A passage of a document, the unit of search. */
export const Chunk = ChunkLocation.extend({
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
  /** Null until a tag or the text of a note is modified (decision D4). */
  updated_at: Timestamp.nullish(),
  /** SHA-256 of the source in hexadecimal. */
  content_hash: z.string().nullish(),
  /** Size of the source in bytes. */
  size_bytes: z.int().nullish(),
  chunk_count: z.int().nullish(),
  /** Main language, an ISO 639-1 code; null if it is unknown or uncertain. Absent before contract 3.2. */
  language: z.string().nullish(),
  /** Number of the current version, from 1; each change counts. Absent before contract 3.3. */
  version: Version.nullish(),
  /** Name of the source that the document follows. Absent before contract 3.4. */
  source: z.string().nullish(),
  /** The message that the document is an attachment of. Since contract 3.5. */
  parent_id: Id.nullish(),
  /** Doubts about the text, such as a guessed encoding, for the reader. Since contract 3.5. */
  warning: z.string().nullish(),
});
/** Inferred from {@linkcode DocumentSummary}. */
export type DocumentSummary = z.infer<typeof DocumentSummary>;

/** A document with its chunks, in reading order. */
export const Document = DocumentSummary.extend({
  chunks: z.array(Chunk).optional(),
  /** Number of chunks in the whole document, of which `chunks` may be a page. */
  chunks_total: z.int().nonnegative().optional(),
  /** Index of the first chunk in `chunks`. */
  chunks_offset: z.int().nonnegative().optional(),
  /** Attachments that became documents of their own. Since contract 3.5. */
  attachments: z.array(z.looseObject({ document_id: Id, title: z.string().nullable() })).nullish(),
  /** Exact text of a note, without front matter, if it was requested. Since contract 3.4. */
  text: z.string().nullish(),
  /** Front matter of a note, by field; null for a document without it. Absent before contract 3.1. */
  metadata: z.record(z.string(), z.unknown()).nullish(),
});
/** Inferred from {@linkcode Document}. */
export type Document = z.infer<typeof Document>;

/** Query of `GET /api/v1/documents/{id}`. Default: all chunks. */
export const DocumentQuery = z.object({
  /** `false` omits the chunks. */
  chunks: z.stringbool().optional(),
  /** Index of the first chunk. */
  offset: z.coerce.number().int().nonnegative().optional(),
  /** Maximum number of chunks. */
  limit: z.coerce.number().int().positive().max(1000).optional(),
  /** `true` adds the `text` of a note. Ignored before contract 3.4. */
  text: z.stringbool().optional(),
  /** Returns a former version instead, also of a deleted document. Ignored before contract 3.3. */
  version: z.coerce.number().pipe(Version).optional(),
});
/** Inferred from {@linkcode DocumentQuery}. */
export type DocumentQuery = z.infer<typeof DocumentQuery>;

/** Query of `GET /api/v1/documents`. */
export const DocumentsQuery = z.object({
  source_path: z.string().min(1).max(MAX_SOURCE_PATH_CHARS).optional(),
  tag: Tag.optional(),
  doc_type: z.string().min(1).max(50).optional(),
  /** Modified, or created if never modified, at this time or later. */
  since: DateInput.optional(),
  limit: z.coerce.number().int().positive().max(MAX_PAGE).default(50),
  cursor: Cursor.optional(),
});
/** Query of `GET /api/v1/documents` before parsing. */
export type DocumentsQuery = z.input<typeof DocumentsQuery>;

/** Response of `GET /api/v1/documents`, most recently modified or created first. */
export const DocumentPage = z.looseObject({
  documents: z.array(DocumentSummary),
  /** Number of matching documents on all pages. */
  total: z.int().nonnegative().nullish(),
  next_cursor: z.string().nullish(),
});
/** Inferred from {@linkcode DocumentPage}. */
export type DocumentPage = z.infer<typeof DocumentPage>;

/** Response of `DELETE /api/v1/documents/{id}`. */
export const DeletedDocument = z.looseObject({
  status: z.literal("deleted"),
  document_id: Id,
  title: z.string().nullish(),
  /** Until when the document can be restored; absent if it was deleted at once. Since contract 3.3. */
  restorable_until: Timestamp.nullish(),
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

/** Response of `POST /api/v1/documents/{id}/tags`. */
export const DocumentTags = z.looseObject({
  document_id: Id,
  tags: z.array(z.string()),
  updated_at: Timestamp.nullish(),
  /** Since contract 3.3. */
  version: Version.nullish(),
});
/** Inferred from {@linkcode DocumentTags}. */
export type DocumentTags = z.infer<typeof DocumentTags>;

/** Body of `PATCH /api/v1/notes/{id}` (decision D3). */
export const NotePatch = z.object({ text: NoteText, title: Title.optional() });
/** Inferred from {@linkcode NotePatch}. */
export type NotePatch = z.infer<typeof NotePatch>;

/** Query of `DELETE /api/v1/documents/{id}`. */
export const DeleteQuery = z.object({
  /** `true` erases the document with its revisions at once, also from the trash. Since contract 3.3. */
  permanent: z.stringbool().optional(),
});
/** Inferred from {@linkcode DeleteQuery}. */
export type DeleteQuery = z.infer<typeof DeleteQuery>;
