import type { DatabaseSync } from "node:sqlite";
import type { CHANGES } from "../../../contract/mod.ts";
import { contentIdOf } from "./content_ids.ts";
import { isLong, MAX_REMOVED_CHUNKS } from "./contents.ts";
import type { DocumentRow } from "./document_rows.ts";
import { packContent } from "./revision_content.ts";
import { all, first, run, storable } from "./sql.ts";
import { tagsOf } from "./tags.ts";

/** A kind of change. */
export type Change = typeof CHANGES[number];

/** Circumstances of a change, the same for every change of a call. */
export interface ChangeContext {
  /** Time of the change, in the format of `timestamp`. */
  readonly now: string;
  /** Who makes it. */
  readonly actor: string | undefined;
  /** Number of former versions to keep of each document. 0: none. */
  readonly maxRevisions: number;
}

/** A change to record. */
export interface ChangeRecord extends ChangeContext {
  readonly change: Change;
  /** Whether the text of the document changes, so that the revision needs a copy. */
  readonly contentChanges: boolean;
}

/** A row of `revisions`, without the text. */
export interface RevisionRow extends Omit<DocumentRow, "id" | "source"> {
  document_id: number;
  /** JSON object. */
  metadata: string | null;
  /** JSON array of strings. */
  tags: string;
  change: Change;
  changed_at: string;
}

/** Columns of {@linkcode RevisionRow}. The table has the alias `r`. */
export const REVISION_COLUMNS =
  `r.document_id, r.version, r.title, r.title_derived, r.doc_type, r.source_path, r.content_hash, r.size_bytes,
   r.metadata, r.chunk_count, r.created_at, r.updated_at, r.language, r.tags, r.change, r.changed_at, r.changed_by,
   r.warning`;

/**
 * Saves a document as it is, then gives it the next version, the time and the author of the change. Must be
 * called in the transaction of the change, before anything is changed, and only if something will be.
 */
export function recordRevision(db: DatabaseSync, id: number, record: ChangeRecord): void {
  const { now, actor, maxRevisions } = record;
  if (maxRevisions > 0) saveRevision(db, id, record);
  pruneRevisions(db, id, maxRevisions);
  run(
    db,
    "UPDATE documents SET version = version + 1, updated_at = ?, changed_by = ? WHERE id = ?",
    now,
    storableActor(actor),
    id,
  );
}

/** Saves a document as it is, as the version that a change ends. */
export function saveRevision(
  db: DatabaseSync,
  id: number,
  { change, contentChanges, now, actor }: Omit<ChangeRecord, "maxRevisions">,
): void {
  // The chunks of a long text are packed later, in slices.
  const contentId = contentIdOf(db, id);
  const keptContent = contentChanges && isLong(db, contentId) && !isNote(db, id) ? contentId : null;
  run(
    db,
    `INSERT INTO revisions (document_id, version, title, title_derived, doc_type, source_path, content_hash,
                            size_bytes, metadata, chunk_count, created_at, updated_at, language,
                            warning, tags, change, changed_at, changed_by, content, content_id)
     SELECT id, version, title, title_derived, doc_type, source_path, content_hash,
            size_bytes, metadata, chunk_count, created_at, updated_at, language, warning, ?, ?, ?, ?, ?, ?
       FROM documents WHERE id = ?`,
    JSON.stringify(tagsOf(db, id)),
    change,
    now,
    storableActor(actor),
    contentChanges && keptContent === null ? packContent(db, id) : null,
    keptContent,
    id,
  );
}

/**
 * Deletes the oldest revisions of a document. A revision without content has that of the next newer one, so
 * no newer one may be deleted before it.
 *
 * @param keep Number of revisions to keep.
 */
export function pruneRevisions(db: DatabaseSync, documentId: number, keep: number): void {
  const outdated = all<{ id: number }>(
    db,
    "SELECT id FROM revisions WHERE document_id = ? ORDER BY version DESC LIMIT -1 OFFSET ?",
    documentId,
    keep,
  );
  for (const { id } of outdated) run(db, "DELETE FROM revisions WHERE id = ?", id);
}

/** Returns a deleted document that can be restored: its last version. */
export function trashedRevision(db: DatabaseSync, documentId: number): RevisionRow | undefined {
  return first(
    db,
    `SELECT ${REVISION_COLUMNS} FROM trash t
       JOIN revisions r ON r.document_id = t.document_id AND r.version = t.version WHERE t.document_id = ?`,
    documentId,
  );
}

/** A former version whose text is too long for one transaction. */
export interface LongVersion {
  readonly version: number;
  readonly title: string;
}

/**
 * Returns the version that restoring a document would restore, if its text is too long for one transaction.
 *
 * @param version Default: a deleted document as it was, or the version before the last change.
 */
export function longVersion(
  db: DatabaseSync,
  documentId: number,
  version?: number,
): LongVersion | undefined {
  const row = version === undefined
    ? trashedRevision(db, documentId) ?? revisionBeforeLast(db, documentId)
    : revisionRow(db, documentId, version);
  return row && row.chunk_count > MAX_REMOVED_CHUNKS && row.doc_type !== "note" ? row : undefined;
}

function revisionBeforeLast(db: DatabaseSync, documentId: number): RevisionRow | undefined {
  const document = first<{ version: number }>(db, "SELECT version FROM documents WHERE id = ?", documentId);
  return document && revisionRow(db, documentId, document.version - 1);
}

/** Returns a former version of a document. */
export function revisionRow(db: DatabaseSync, documentId: number, version: number): RevisionRow | undefined {
  return first(
    db,
    `SELECT ${REVISION_COLUMNS} FROM revisions r WHERE r.document_id = ? AND r.version = ?`,
    documentId,
    version,
  );
}

/** Whether a document is a note, whose exact text may have to be kept. */
function isNote(db: DatabaseSync, id: number): boolean {
  return first(db, "SELECT 1 FROM documents WHERE id = ? AND doc_type = 'note'", id) !== undefined;
}

/** Returns the stored form of an author's name. */
export function storableActor(actor: string | undefined): string | null {
  return actor === undefined ? null : storable(actor);
}
