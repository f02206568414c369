import * as z from "zod";
import { isMetadataShallow, MAX_METADATA_LEVELS } from "./metadata.ts";
import {
  Cursor,
  DateInput,
  Id,
  Language,
  MAX_NOTE_CHARS,
  MAX_PAGE,
  MAX_SOURCE_PATH_CHARS,
  MAX_TITLE_CHARS,
  NoteText,
  SourcePath,
  Tag,
  Tags,
  Timestamp,
  Title,
  Version,
} from "./primitives.ts";

/**
 * Document types of the embedded engine. Third-party engines may have others, so the wire type is a string.
 */
export type DocType = "note" | "text" | "markdown" | "html" | "pdf" | "docx";

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

/** Sort orders of `POST /api/v1/documents/query`. Each has a natural direction: see `order`. */
export const DOCUMENT_SORTS = ["updated", "created", "title", "size", "used"] as const;
/** Keys by which `POST /api/v1/documents/query` counts documents. */
export const DOCUMENT_GROUPS = ["tag", "collection", "kind", "day"] as const;

/** Fields of metadata that a document must have, by name. A list in the document matches if it contains the value. */
export const MetadataFilter = z.record(
  z.string().min(1).max(100),
  z.union([z.string().max(500), z.number(), z.boolean()]),
).refine((fields) => Object.keys(fields).length <= 16, "must have at most 16 fields");
/** Inferred from {@linkcode MetadataFilter}. */
export type MetadataFilter = z.infer<typeof MetadataFilter>;

/** Filters on documents that searches and listings share. */
export const documentFilters = {
  /** Only documents with all of these tags. */
  tags: Tags.optional(),
  /** Only documents with at least one of these tags. Not empty, because that could be taken for "all". */
  tags_any: Tags.min(1).optional(),
  /** Only documents without any of these tags. */
  tags_none: Tags.optional(),
  /** Only documents in one of these collections. Not empty, because that could be taken for "all". */
  collections: z.array(Tag).min(1).max(64).optional(),
  doc_type: z.string().min(1).max(50).optional(),
  /** Only documents whose main language is this one. Ignored before contract 3.2. */
  language: Language.optional(),
  /** Only documents whose `source_path` starts with this. Ignored before contract 3.3. */
  source_path_prefix: z.string().min(1).max(MAX_SOURCE_PATH_CHARS).optional(),
  /** Only documents with these fields in their metadata. Ignored before contract 3.3. */
  metadata: MetadataFilter.optional(),
  /** Only documents modified, or created if never modified, at this time or later. */
  since: DateInput.optional(),
  /** Only documents modified, or created if never modified, at this time or earlier. */
  until: DateInput.optional(),
};

/** Body of `POST /api/v1/documents/query`. Since contract 3.3. */
export const DocumentListRequest = z.object({
  ...documentFilters,
  /** Only documents with all of these words in their title, each as the start of a word. */
  title: z.string().max(MAX_TITLE_CHARS).regex(/\S/, "must not be empty").optional(),
  /** `used`: by how often searches and reads have returned the document. */
  sort: z.enum(DOCUMENT_SORTS).default("updated"),
  /** Default: `asc` for `title`, otherwise `desc` (most recent, largest and most used first). */
  order: z.enum(["asc", "desc"]).optional(),
  /** Counts documents by key instead of listing them: largest groups first, `day` newest first. */
  group_by: z.enum(DOCUMENT_GROUPS).optional(),
  limit: z.int().positive().max(MAX_PAGE).default(50),
  /** `next_cursor` of the previous response to the same request. */
  cursor: Cursor.optional(),
});
/** Body of `POST /api/v1/documents/query` before parsing. */
export type DocumentListRequest = z.input<typeof DocumentListRequest>;

/** Response of `POST /api/v1/documents/query`: `groups` with `group_by`, otherwise `documents`. */
export const DocumentList = z.looseObject({
  documents: z.array(DocumentSummary).optional(),
  /** A document counts in the group of each of its tags. The key is null for documents without a collection. */
  groups: z.array(z.looseObject({ key: z.string().nullable(), count: z.int().nonnegative() })).optional(),
  /** Number of matching documents on all pages. */
  total: z.int().nonnegative(),
  next_cursor: z.string().nullish(),
});
/** Inferred from {@linkcode DocumentList}. */
export type DocumentList = z.infer<typeof DocumentList>;

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

/** Text of an edit. It may be blank, unlike that of a note. */
const EditText = z.string().max(MAX_NOTE_CHARS);

/**
 * Body of `PATCH /api/v1/documents/{id}`: changes of one document, made in this order in one transaction. The
 * text changes are for notes only, in terms of the text without front matter. Since contract 3.3.
 */
export const DocumentEdit = z.object({
  title: Title.optional(),
  /** Never `collection:` tags. */
  add_tags: Tags.optional(),
  /** Never `collection:` tags. */
  remove_tags: Tags.optional(),
  /** Null removes it. */
  source_path: SourcePath.nullable().optional(),
  /** Fields to set, of any JSON value; null removes a field. The other fields stay. */
  metadata: z.record(z.string().min(1).max(100), z.unknown()).refine(
    isMetadataShallow,
    `must have at most ${MAX_METADATA_LEVELS} levels of nesting`,
  ).optional(),
  /** Replaces a passage, which the note must contain exactly once. */
  replace: z.object({ old: EditText.min(1), new: EditText }).optional(),
  /**
   * Replaces the text under a Markdown heading, up to the next heading of the same or a higher level. The
   * heading stays, also if `text` repeats it. Must match one heading, given with or without its `#` marks, or
   * with its parents as in `Plan > Risks`.
   */
  section: z.object({ heading: z.string().min(1).max(MAX_TITLE_CHARS), text: EditText }).optional(),
  /** Text to add before the first line. */
  prepend: EditText.min(1).optional(),
  /** Text to add after the last line. */
  append: EditText.min(1).optional(),
});
/** Inferred from {@linkcode DocumentEdit}. */
export type DocumentEdit = z.infer<typeof DocumentEdit>;

/** Response of `PATCH /api/v1/documents/{id}`: the document without its chunks. */
export const EditedDocument = Document.extend({
  /** Whether the document is different now. An edit that changes nothing makes no version. */
  changed: z.boolean(),
  /** Version before the edit, which can be restored. */
  restorable_version: Version.nullish(),
  /** With changes of text: the changed lines with their neighbors. `line` is the first one's number, from 1. */
  excerpts: z.array(z.looseObject({ line: z.int().positive(), text: z.string() })).optional(),
});
/** Inferred from {@linkcode EditedDocument}. */
export type EditedDocument = z.infer<typeof EditedDocument>;

/** Kinds of changes, as revisions name them. */
export const CHANGES = ["text", "metadata", "tags", "collection", "replaced", "restored", "deleted"] as const;

/** A former version of a document. */
export const Revision = z.looseObject({
  version: Version,
  title: z.string().nullable(),
  doc_type: z.string(),
  source_path: z.string().nullish(),
  tags: z.array(z.string()),
  size_bytes: z.int().nullish(),
  chunk_count: z.int().nullish(),
  /** Time of the change that ended this version. */
  changed_at: Timestamp,
  /** The change that ended this version: one of {@linkcode CHANGES}. */
  change: z.string(),
  /** Who made that change: the `X-KB-Actor` header of its request. */
  changed_by: z.string().nullish(),
});
/** Inferred from {@linkcode Revision}. */
export type Revision = z.infer<typeof Revision>;

/** Query of `GET /api/v1/documents/{id}/revisions` and `GET /api/v1/trash`. */
export const PageQuery = z.object({
  limit: z.coerce.number().int().positive().max(MAX_PAGE).default(20),
  cursor: Cursor.optional(),
});
/** Query of `GET /api/v1/trash` before parsing. */
export type PageQuery = z.input<typeof PageQuery>;

/** Response of `GET /api/v1/documents/{id}/revisions`, newest first. Since contract 3.3. */
export const RevisionPage = z.looseObject({
  document_id: Id,
  /** Current title, or the last one of a deleted document. */
  title: z.string().nullable(),
  /** Current version; null for a deleted document. */
  version: Version.nullable(),
  revisions: z.array(Revision),
  /** Number of kept revisions on all pages. */
  total: z.int().nonnegative(),
  next_cursor: z.string().nullish(),
});
/** Inferred from {@linkcode RevisionPage}. */
export type RevisionPage = z.infer<typeof RevisionPage>;

/** A deleted document that can be restored. */
export const TrashedDocument = DocumentSummary.extend({
  deleted_at: Timestamp,
  deleted_by: z.string().nullish(),
  restorable_until: Timestamp,
});
/** Inferred from {@linkcode TrashedDocument}. */
export type TrashedDocument = z.infer<typeof TrashedDocument>;

/** Response of `GET /api/v1/trash`, most recently deleted first. Since contract 3.3. */
export const TrashPage = z.looseObject({
  documents: z.array(TrashedDocument),
  total: z.int().nonnegative(),
  next_cursor: z.string().nullish(),
});
/** Inferred from {@linkcode TrashPage}. */
export type TrashPage = z.infer<typeof TrashPage>;

/** Body of `POST /api/v1/documents/{id}/restore`. Since contract 3.3. */
export const RestoreRequest = z.object({
  /** Version to restore. Default: a deleted document as it was, or the version before the last change. */
  version: Version.optional(),
});
/** Inferred from {@linkcode RestoreRequest}. */
export type RestoreRequest = z.infer<typeof RestoreRequest>;

/** Response of `POST /api/v1/documents/{id}/restore`: the document without its chunks. It has a new version. */
export const RestoredDocument = Document.extend({
  /** Version whose content and metadata it has now. */
  restored_version: Version,
});
/** Inferred from {@linkcode RestoredDocument}. */
export type RestoredDocument = z.infer<typeof RestoredDocument>;

/** Query of `DELETE /api/v1/documents/{id}`. */
export const DeleteQuery = z.object({
  /** `true` erases the document with its revisions at once, also from the trash. Since contract 3.3. */
  permanent: z.stringbool().optional(),
});
/** Inferred from {@linkcode DeleteQuery}. */
export type DeleteQuery = z.infer<typeof DeleteQuery>;

/** Details of a `version_conflict` (412): the document as it is now. */
export const VersionConflict = z.looseObject({
  document_id: Id,
  /** Current version; null if the document was deleted. */
  version: Version.nullable(),
  title: z.string().nullish(),
  /** Time of the last change. */
  changed_at: Timestamp.nullish(),
  /** Who made the last change. */
  changed_by: z.string().nullish(),
});
/** Inferred from {@linkcode VersionConflict}. */
export type VersionConflict = z.infer<typeof VersionConflict>;

/** Default of `limit` of a {@linkcode SimilarRequest}. */
export const DEFAULT_SIMILAR = 3;

/** Body of `POST /api/v1/documents/similar`: a note that may be stored already. Since contract 3.3. */
export const SimilarRequest = z.object({
  text: NoteText,
  title: Title.optional(),
  /** Only notes in this collection. Default: in none. */
  collection: Tag.optional(),
  /** A document to leave out. Notes with the same text are left out anyway. */
  exclude: Id.optional(),
  limit: z.int().min(1).max(10).optional(),
});
/** Inferred from {@linkcode SimilarRequest}. */
export type SimilarRequest = z.infer<typeof SimilarRequest>;

/** A note that says nearly the same. */
export const SimilarNote = z.looseObject({
  document_id: Id,
  title: z.string().nullable(),
  /** The sentence of it that is most like the new note. */
  sentence: z.string(),
  /** From 0 to 1. */
  score: z.number(),
});
/** Inferred from {@linkcode SimilarNote}. */
export type SimilarNote = z.infer<typeof SimilarNote>;

/** Response of `POST /api/v1/documents/similar`: at most `limit` notes, most similar first. */
export const SimilarNotes = z.looseObject({ similar: z.array(SimilarNote) });
/** Inferred from {@linkcode SimilarNotes}. */
export type SimilarNotes = z.infer<typeof SimilarNotes>;
