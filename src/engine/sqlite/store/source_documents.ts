import type { DatabaseSync } from "node:sqlite";
import { isCollectionTag } from "../../../contract/rules/mod.ts";
import {
  KnowledgeBaseError,
  type NewSourceDocument,
  type StoredSource,
  type StoredSourceDocument,
} from "../../knowledge_base/mod.ts";
import { type DocumentContent, insertDocument, replaceContent } from "./documents.ts";
import { documentAtPath, type DocumentRow, documentRow } from "./document_rows.ts";
import { stagedContent } from "./contents.ts";
import { fileTitle } from "./file_title.ts";
import { joinWarnings } from "./ingest.ts";
import { requireFreePath } from "./path_conflict.ts";
import { type ChangeContext, pruneRevisions, recordRevision, trashedRevision } from "./revisions.ts";
import { type SourceFileRow, sourcePathOf, type TrashedFile, trashedFile } from "./source_files.ts";
import { first, run } from "./sql.ts";
import { applyTags, planTags, type TagPlan, tagsOf } from "./tags.ts";

/** A file to store, with its source and its record. */
export interface IncomingFile {
  readonly source: StoredSource;
  readonly file: NewSourceDocument;
  readonly row: SourceFileRow | undefined;
}

/**
 * Stores the document of a file. A document that the file has already keeps its id and gets a new version, also
 * from the trash, and also if the file was gone. Equal files are separate documents.
 *
 * @throws {KnowledgeBaseError} `conflict` if another document has the path, `invalid` for too many tags.
 */
export function storeSourceDocument(
  db: DatabaseSync,
  { source, file, row }: IncomingFile,
  context: ChangeContext,
): StoredSourceDocument {
  const sourcePath = sourcePathOf(source.name, file.path);
  const content = contentOf(db, file);
  const document = ownDocument(db, { source, file, row }, sourcePath);
  const tags = { given: file.givenTags, own: file.document.tags };
  if (document) {
    const plan = planSourceTags(db, document.id, { row, tags });
    recordRevision(db, document.id, { ...context, change: "replaced", contentChanges: true });
    replaceContent(db, document.id, content);
    run(
      db,
      "UPDATE documents SET source = ?, source_path = ? WHERE id = ?",
      source.name,
      sourcePath,
      document.id,
    );
    if (plan) applyTags(db, document.id, plan);
    return { documentId: document.id, outcome: "updated" };
  }
  requireFreePath(db, sourcePath, 0);
  const { now, actor, maxRevisions } = context;
  const former = row?.document_id == null ? trashedFile(db, source.id, file.path) ?? row : row;
  const trashed = former?.document_id == null ? undefined : trashedRevision(db, former.document_id);
  const documentId = insertDocument(db, content, {
    sourcePath,
    source: source.name,
    createdAt: trashed?.created_at ?? now,
    actor,
    ...(trashed && {
      restored: { id: trashed.document_id, version: trashed.version + 1, updatedAt: now },
    }),
  });
  if (trashed) {
    run(db, "DELETE FROM trash WHERE document_id = ?", documentId);
    // Tags that agents have added return, too.
    applyTags(db, documentId, { remove: [], add: JSON.parse(trashed.tags) as string[] });
    pruneRevisions(db, documentId, maxRevisions);
  }
  const plan = planSourceTags(db, documentId, { row: former, tags });
  if (plan) applyTags(db, documentId, plan);
  return { documentId, outcome: "created" };
}

/** Returns the stored document that a file continues. */
function ownDocument(
  db: DatabaseSync,
  { source, file, row }: IncomingFile,
  sourcePath: string,
): DocumentRow | undefined {
  const known = row?.document_id == null ? undefined : documentRow(db, row.document_id);
  if (known) return known;
  const atPath = documentAtPath(db, sourcePath);
  // Its list of files was lost, or a source of this name was removed and its documents kept.
  const isOurs = atPath?.source === source.name ||
    atPath?.source === null && atPath.doc_type !== "note" &&
      (atPath.content_hash === file.contentHash || wasDeletedBySource(db, atPath, source));
  return isOurs ? atPath : undefined;
}

/** Whether a document was restored after its source had deleted it, since its file was missing at that time. */
function wasDeletedBySource(
  db: DatabaseSync,
  { id, source_path }: DocumentRow,
  source: StoredSource,
): boolean {
  return first(
    db,
    `SELECT 1 FROM revisions WHERE document_id = ? AND change = 'deleted' AND changed_by = ? AND source_path = ?`,
    id,
    actorOf(source),
    source_path,
  ) !== undefined;
}

/** Name of a source in the history of documents. */
export function actorOf({ name }: StoredSource): string {
  return `source ${name}`;
}

/** Returns the title of the document of a file. */
export function sourceTitle({ path, document }: Pick<NewSourceDocument, "path" | "document">): string {
  return fileTitle(document.title, path.slice(path.lastIndexOf("/") + 1));
}

function contentOf(db: DatabaseSync, file: NewSourceDocument): DocumentContent {
  const { contentHash, state, document } = file;
  return {
    title: sourceTitle(file),
    titleDerived: false,
    docType: document.docType,
    contentHash,
    sizeBytes: state.size,
    metadata: document.metadata,
    chunks: document.chunks,
    staged: document.contentId === undefined ? undefined : stagedContent(db, document.contentId),
    warning: joinWarnings(document.warnings),
  };
}

/** Gives a document the path of its file. */
export function moveSourceDocument(
  db: DatabaseSync,
  { id, source, to }: { readonly id: number; readonly source: StoredSource; readonly to: string },
  context: ChangeContext,
): void {
  const sourcePath = sourcePathOf(source.name, to);
  requireFreePath(db, sourcePath, id);
  recordRevision(db, id, { ...context, change: "metadata", contentChanges: false });
  run(db, "UPDATE documents SET source_path = ? WHERE id = ?", sourcePath, id);
}

/** Tags that a source and its file give to a document. */
export interface SourceTags {
  /** From the options of the source, with its collection. */
  readonly given: readonly string[];
  /** From the file. */
  readonly own: readonly string[];
}

/** Changes the tags of a document to those that its source gives now. */
export function tagSourceDocument(
  db: DatabaseSync,
  { id, row, tags }: { readonly id: number; readonly row: SourceFileRow; readonly tags: SourceTags },
  context: ChangeContext,
): void {
  const plan = planSourceTags(db, id, { row, tags });
  if (!plan) return;
  recordRevision(db, id, { ...context, change: "tags", contentChanges: false });
  applyTags(db, id, plan);
}

/**
 * Returns how the tags of a document change. Tags that the source or the file no longer has are removed; those that
 * others have added stay. The collection changes only with that of the source: agents may have moved the document.
 *
 * @throws {KnowledgeBaseError} `invalid` for too many tags.
 */
function planSourceTags(
  db: DatabaseSync,
  id: number,
  { row, tags: { given, own } }: { readonly row: TrashedFile | undefined; readonly tags: SourceTags },
): TagPlan | undefined {
  const before = row ? JSON.parse(row.given_tags) as string[] : [];
  const former = row ? [...before, ...JSON.parse(row.own_tags) as string[]] : [];
  const collection = given.find(isCollectionTag);
  const stored = tagsOf(db, id).filter(isCollectionTag);
  const isMoved = collection !== undefined && (stored.length === 0 || !before.includes(collection));
  const wanted = [...given, ...own].filter((tag) => !isCollectionTag(tag));
  try {
    return planTags(db, id, {
      remove: [...former.filter((tag) => !isCollectionTag(tag)), ...(isMoved ? stored : [])],
      add: isMoved ? [collection, ...wanted] : wanted,
    });
  } catch (error) {
    if (!(error instanceof KnowledgeBaseError)) throw error;
    throw new KnowledgeBaseError("invalid", `The file has too many tags: ${error.message}`, { cause: error });
  }
}
