import * as z from "zod";
import { Document, DocumentSummary } from "./documents.ts";
import { Cursor, Id, Timestamp, Version } from "./primitives.ts";
import { MAX_PAGE } from "./rules/limits.ts";

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
