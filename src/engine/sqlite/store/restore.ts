import type { DatabaseSync } from "node:sqlite";
import { type ChangeOptions, KnowledgeBaseError } from "../../knowledge_base/mod.ts";
import { type DocumentContent, insertDocument, replaceContent } from "./documents.ts";
import { type DocumentRow, documentRow } from "./document_rows.ts";
import { stagedContent } from "./contents.ts";
import { requireFreePath } from "./path_conflict.ts";
import { deletedConflict, requireDocument } from "./require_document.ts";
import { readContent, type RevisionContent } from "./revision_content.ts";
import {
  type ChangeContext,
  pruneRevisions,
  recordRevision,
  type RevisionRow,
  revisionRow,
  trashedRevision,
} from "./revisions.ts";
import { sourceOfDocument } from "./source_files.ts";
import { all, first, run } from "./sql.ts";
import { setTags, tagsOf } from "./tags.ts";

/** What to restore, and under which condition. */
export interface RestoreOptions extends Pick<ChangeOptions, "ifVersion"> {
  /** Default: a deleted document as it was, or the version before the last change. */
  readonly version?: number | undefined;
  /** Text of a version that is written already, in place of a copy. */
  readonly staged?: StagedVersion | undefined;
}

/** A former version whose text was written with `stageText`. */
export interface StagedVersion {
  readonly version: number;
  readonly contentId: number;
}

/**
 * Restores a former version of a document, as a new version. Restoring what the document already is changes
 * nothing.
 *
 * @returns The restored version.
 * @throws {KnowledgeBaseError} `not_found`, `version_conflict`, or `conflict` if another document has its path.
 */
export function restoreDocument(
  db: DatabaseSync,
  id: number,
  options: RestoreOptions,
  context: ChangeContext,
): number {
  const document = documentRow(db, id);
  if (!document) return restoreFromTrash(db, id, options, context);
  requireDocument(db, id, options);
  const version = options.version ?? document.version - 1;
  if (version === document.version) return version;
  const revision = revisionRow(db, id, version);
  if (!revision) throw missingRevision(db, id, options.version);
  requireFreePath(db, restoredPath(document, revision), id);
  revert(db, document, { revision, staged: options.staged }, context);
  return version;
}

/** Restores an attachment with its message. It stays in the trash if another document has its path by now. */
export function restoreAttachment(db: DatabaseSync, id: number, context: ChangeContext): void {
  try {
    restoreFromTrash(db, id, {}, context);
  } catch (error) {
    // Precedes any change.
    if (!(error instanceof KnowledgeBaseError && error.code === "conflict")) throw error;
  }
}

function restoreFromTrash(
  db: DatabaseSync,
  id: number,
  { version, ifVersion, staged }: RestoreOptions,
  { now, actor, maxRevisions }: ChangeContext,
): number {
  const last = trashedRevision(db, id);
  if (!last) {
    throw new KnowledgeBaseError(
      "not_found",
      `There is no document ${id}: it was never stored, or was deleted and is no longer kept`,
    );
  }
  // Who expects a version of the live document does not know that it was deleted, and must not undo that.
  if (ifVersion !== undefined) throw deletedConflict(last);
  const revision = version === undefined ? last : revisionRow(db, id, version);
  if (!revision) throw missingRevision(db, id, version);
  const source = sourceOfDocument(db, id);
  const sourcePath = source?.sourcePath ?? revision.source_path;
  requireFreePath(db, sourcePath, id);
  const content = contentToRestore(db, revision, staged);
  insertDocument(db, documentContent(revision, content), {
    sourcePath: sourcePath ?? undefined,
    ...(source && { source: source.name }),
    createdAt: revision.created_at,
    actor,
    restored: { id, version: last.version + 1, updatedAt: now },
  });
  setTags(db, id, JSON.parse(revision.tags) as string[]);
  run(db, "DELETE FROM trash WHERE document_id = ?", id);
  // The document has the same text again.
  if (isSameText(revision, last, (each) => readContent(db, id, each))) {
    run(
      db,
      "UPDATE revisions SET content = NULL, content_id = NULL WHERE document_id = ? AND version = ?",
      id,
      last.version,
    );
  }
  pruneRevisions(db, id, maxRevisions);
  return revision.version;
}

/** Changes a document back to a former version. */
function revert(
  db: DatabaseSync,
  document: DocumentRow,
  { revision, staged }: { readonly revision: RevisionRow; readonly staged: StagedVersion | undefined },
  context: ChangeContext,
): void {
  const { id } = document;
  const contentChanges = !isSameText(document, revision, (version) => readContent(db, id, version));
  const titleChanges = document.title !== revision.title || document.title_derived !== revision.title_derived;
  const tags = JSON.parse(revision.tags) as string[];
  const sourcePath = restoredPath(document, revision);
  const isSame = !contentChanges && !titleChanges && document.source_path === sourcePath &&
    tags.join("\n") === tagsOf(db, id).join("\n") && hasMetadataOf(db, revision);
  if (isSame) return;
  // Read before a revision is added, and the oldest ones are deleted.
  const content = contentChanges || titleChanges ? contentToRestore(db, revision, staged) : undefined;
  recordRevision(db, id, { ...context, change: "restored", contentChanges });
  if (content) replaceContent(db, id, documentContent(revision, content));
  run(
    db,
    "UPDATE documents SET source_path = ?, metadata = ? WHERE id = ?",
    sourcePath,
    revision.metadata,
    id,
  );
  setTags(db, id, tags);
}

/** Returns the path of a reverted document. That of a file in a source is where the file is now. */
function restoredPath(document: DocumentRow, revision: RevisionRow): string | null {
  return document.source === null ? revision.source_path : document.source_path;
}

/** Returns the text of a version: that which is written already, or a copy. */
function contentToRestore(
  db: DatabaseSync,
  { document_id, version }: RevisionRow,
  staged: StagedVersion | undefined,
): RestoredContent {
  if (staged?.version !== version) return readContent(db, document_id, version);
  return { chunks: [], staged: stagedContent(db, staged.contentId) };
}

type RestoredContent = RevisionContent & Pick<DocumentContent, "staged">;

function documentContent(
  revision: RevisionRow,
  { chunks, noteText, staged }: RestoredContent,
): DocumentContent {
  return {
    title: revision.title,
    titleDerived: revision.title_derived === 1,
    docType: revision.doc_type,
    contentHash: revision.content_hash,
    sizeBytes: revision.size_bytes,
    metadata: revision.metadata === null
      ? undefined
      : JSON.parse(revision.metadata) as Record<string, unknown>,
    chunks,
    staged,
    warning: revision.warning ?? undefined,
    ...(noteText !== undefined && { noteText }),
  };
}

type TextVersion = Pick<DocumentRow, "version" | "content_hash" | "doc_type">;

/**
 * Whether two versions have the same text. The hash of a note is that of its source, and an edit can write front
 * matter into its text: the hash of `---` … `---` and a body may be that of the body alone.
 */
function isSameText(a: TextVersion, b: TextVersion, read: (version: number) => RevisionContent): boolean {
  if (a.content_hash !== b.content_hash || a.doc_type !== b.doc_type) return false;
  return a.doc_type !== "note" || JSON.stringify(read(a.version)) === JSON.stringify(read(b.version));
}

function hasMetadataOf(db: DatabaseSync, { document_id, metadata }: RevisionRow): boolean {
  return first(db, "SELECT 1 FROM documents WHERE id = ? AND metadata IS ?", document_id, metadata) !==
    undefined;
}

function missingRevision(db: DatabaseSync, id: number, version: number | undefined): KnowledgeBaseError {
  const kept = all<{ version: number }>(
    db,
    "SELECT version FROM revisions WHERE document_id = ? ORDER BY version DESC LIMIT 30",
    id,
  );
  const which = version === undefined ? "no former version" : `no version ${version}`;
  const versions = kept.map((row) => row.version).join(", ");
  return new KnowledgeBaseError(
    "not_found",
    kept.length === 0
      ? `Document ${id} has ${which}: nothing is kept that could be restored`
      : `Document ${id} has ${which} that could be restored: choose one of ${versions}`,
  );
}
