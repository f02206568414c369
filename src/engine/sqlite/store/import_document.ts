import type { DatabaseSync } from "node:sqlite";
import type * as z from "zod";
import type { ImportedChunk, ImportedDocument, ImportRequest, ImportResult } from "../../../contract/mod.ts";
import {
  type ChunkDraft,
  type ChunkOptions,
  chunkText,
  cleanTitle,
  noteTitle,
  storedText,
} from "../../../extraction/notes/mod.ts";
import { normalizeUnicode, quoteText } from "../../../text/mod.ts";
import { KnowledgeBaseError } from "../../knowledge_base/mod.ts";
import { type DocumentContent, insertDocument, replaceContent } from "./documents.ts";
import {
  documentAtPath,
  documentMetadata,
  type DocumentRow,
  documentRow,
  HAS_HASH,
} from "./document_rows.ts";
import { noteSource } from "./note_source.ts";
import { requireFreePath } from "./path_conflict.ts";
import { sinceTime } from "./read_documents.ts";
import { sourceNamed } from "./read_sources.ts";
import { type ChangeContext, recordRevision } from "./revisions.ts";
import { all, count, first, run, storable } from "./sql.ts";
import { applyTags, planMerge, setTags, tagsOf } from "./tags.ts";

/** How to import a document. */
export interface ImportOptions extends Pick<z.output<typeof ImportRequest>, "exact" | "overwrite"> {
  /** Chunk sizes for documents without chunks. */
  readonly chunk: ChunkOptions;
}

/** A document to import, in the form in which it is stored. */
interface Incoming extends z.output<typeof ImportedDocument> {
  readonly isNote: boolean;
  readonly path: string | null;
  readonly hash: string;
  readonly sizeBytes: number;
  readonly createdAt: string | undefined;
}

/**
 * Stores a document of another knowledge base or program, or updates the one that it was stored as before.
 *
 * That is the document at its `source_path`, or else the one with the same creation time and either the same id or
 * the same content. With `exact`, the stored document becomes equal to it. Otherwise its tags are added, and a
 * document that had this content before, and was changed here since, keeps its newer content.
 *
 * @throws {KnowledgeBaseError} `invalid` or `conflict`, without having changed anything.
 */
export function importDocument(
  db: DatabaseSync,
  document: z.output<typeof ImportedDocument>,
  options: ImportOptions,
  context: ChangeContext,
): ImportResult {
  const incoming = toIncoming(document);
  const existing = findExisting(db, incoming, options.exact);
  // Documents of a source follow their files only.
  if (existing?.source) return { status: "skipped", document_id: existing.id };
  if (incoming.source && sourceNamed(db, incoming.source)) return { status: "skipped" };
  if (!existing) return create(db, incoming, options, context);
  if ((existing.doc_type === "note") !== incoming.isNote && !options.overwrite) {
    throw new KnowledgeBaseError(
      "conflict",
      `Document ${existing.id} has the source_path ${quoteText(incoming.path ?? "", 200)} and is a ` +
        `${existing.doc_type}, not a ${incoming.doc_type}: delete it first, or overwrite it`,
    );
  }
  const isChanged = options.exact
    ? makeEqual(db, existing, incoming, { ...options, context })
    : merge(db, existing, incoming, { ...options, context });
  return { status: isChanged ? "updated" : "unchanged", document_id: existing.id };
}

function toIncoming(document: z.output<typeof ImportedDocument>): Incoming {
  const { doc_type, source_path, created_at, metadata } = document;
  const source = noteSource(document.text);
  return {
    ...document,
    // The offsets of chunks refer to the text as it is.
    text: document.chunks ? storable(document.text) : normalizeUnicode(source.text, "NFC"),
    ...(document.title !== undefined && { title: storable(document.title) }),
    metadata: metadata ?? null,
    isNote: doc_type === "note",
    path: source_path === undefined ? null : storable(source_path),
    hash: document.content_hash ?? source.contentHash,
    sizeBytes: document.size_bytes ?? source.sizeBytes,
    createdAt: created_at ? sinceTime(created_at) : undefined,
  };
}

function findExisting(db: DatabaseSync, incoming: Incoming, exact: boolean): DocumentRow | undefined {
  const { document_id: id, path, createdAt, isNote, previous_hash } = incoming;
  const atPath = path === null ? undefined : documentAtPath(db, path);
  if (atPath) return atPath;
  const sameId = exact && id !== undefined ? documentRow(db, id) : undefined;
  if (sameId && sameId.created_at === createdAt) return sameId;
  // Equal files at several paths are several documents.
  if (exact && path !== null) return undefined;
  const hashes = [incoming.hash, ...(previous_hash === undefined ? [] : [previous_hash])];
  for (const hash of hashes) {
    const rows = all<{ id: number }>(
      db,
      `SELECT id FROM documents
        WHERE ${HAS_HASH} AND (doc_type = 'note') = ? AND source IS NULL AND (? IS NULL OR created_at = ?)
          AND (? IS NULL OR source_path IS NULL) ORDER BY id LIMIT 1`,
      hash,
      hash,
      isNote ? 1 : 0,
      exact ? createdAt ?? "" : null,
      createdAt ?? "",
      exact ? "" : path,
    );
    if (rows[0]) return documentRow(db, rows[0].id);
  }
  return undefined;
}

function create(
  db: DatabaseSync,
  incoming: Incoming,
  { exact, chunk }: ImportOptions,
  { now, actor }: ChangeContext,
): ImportResult {
  const { document_id: id, updated_at, version, createdAt = now, path } = incoming;
  const content = toContent(incoming, chunk);
  const documentId = insertDocument(db, content, {
    sourcePath: path ?? undefined,
    createdAt,
    actor,
    restored: {
      id: exact && id !== undefined && id > lastDocumentId(db) ? id : undefined,
      version: version ?? 1,
      updatedAt: updated_at ? sinceTime(updated_at) : null,
    },
  });
  setTags(db, documentId, incoming.tags);
  return { status: "created", document_id: documentId };
}

interface UpdateOptions extends ImportOptions {
  readonly context: ChangeContext;
}

/** Makes a stored document equal to an incoming one. Returns whether that changed anything. */
function makeEqual(
  db: DatabaseSync,
  existing: DocumentRow,
  incoming: Incoming,
  { chunk, context }: UpdateOptions,
): boolean {
  const { id } = existing;
  const { path, metadata, createdAt = existing.created_at } = incoming;
  const contentChanges = existing.content_hash !== incoming.hash || existing.doc_type !== incoming.doc_type;
  const titleChanges = incoming.title !== undefined && incoming.title !== existing.title;
  const isSame = !contentChanges && !titleChanges && existing.source_path === path &&
    existing.created_at === createdAt &&
    JSON.stringify(documentMetadata(db, id)) === JSON.stringify(metadata) &&
    isSameSet(tagsOf(db, id), incoming.tags.map(storable));
  if (isSame) return false;
  requireFreePath(db, path, id);
  const content = contentChanges || titleChanges ? toContent(incoming, chunk) : undefined;
  recordRevision(db, id, { ...context, change: "replaced", contentChanges });
  if (content) replaceContent(db, id, content);
  run(
    db,
    "UPDATE documents SET source_path = ?, metadata = ?, created_at = ? WHERE id = ?",
    path,
    metadata ? JSON.stringify(metadata) : null,
    createdAt,
    id,
  );
  setTags(db, id, incoming.tags);
  return true;
}

function isSameSet(a: readonly string[], b: readonly string[]): boolean {
  return new Set(a).symmetricDifference(new Set(b)).size === 0;
}

/** Adds an incoming document to a stored one. Returns whether that changed anything. */
function merge(
  db: DatabaseSync,
  existing: DocumentRow,
  incoming: Incoming,
  { chunk, context }: UpdateOptions,
): boolean {
  const { id } = existing;
  const isSame = isState(existing, incoming) || wasState(db, id, incoming);
  const plan = planMerge(db, id, { requested: incoming.tags, own: [], keepCollection: true });
  const adoptsPath = incoming.path !== null && existing.source_path === null;
  if (isSame && !plan && !adoptsPath) return false;
  const content = isSame ? undefined : toContent(incoming, chunk);
  const change = content ? "replaced" : adoptsPath ? "metadata" : "tags";
  recordRevision(db, id, { ...context, change, contentChanges: content !== undefined });
  if (content) replaceContent(db, id, content);
  if (adoptsPath) run(db, "UPDATE documents SET source_path = ? WHERE id = ?", incoming.path, id);
  if (plan) applyTags(db, id, plan);
  return true;
}

function isState(row: Pick<DocumentRow, "content_hash" | "title">, { hash, title }: Incoming): boolean {
  return row.content_hash === hash && (title === undefined || row.title === title);
}

/** Whether a document had this title and content before its last changes. */
function wasState(db: DatabaseSync, id: number, { hash, title }: Incoming): boolean {
  return first(
    db,
    "SELECT 1 FROM revisions WHERE document_id = ? AND content_hash = ? AND (? IS NULL OR title = ?) LIMIT 1",
    id,
    hash,
    title ?? null,
    title ?? null,
  ) !== undefined;
}

function toContent(incoming: Incoming, chunk: ChunkOptions): DocumentContent {
  const { doc_type: docType, text, chunks, metadata, isNote } = incoming;
  const derived = cleanTitle(metadata?.["title"]) ?? noteTitle(text);
  const title = incoming.title ?? (derived || "Untitled");
  return {
    title,
    titleDerived: isNote && title === derived,
    docType,
    contentHash: incoming.hash,
    sizeBytes: incoming.sizeBytes,
    metadata: metadata ?? undefined,
    warning: incoming.warning ?? undefined,
    chunks: chunks?.map((each) => toDraft(each, text)) ??
      chunkText(storedText(docType, text, incoming.path ?? title), chunk),
    ...(isNote && { noteText: text }),
  };
}

function toDraft(chunk: ImportedChunk, text: string): ChunkDraft {
  const { repeated_start: start, repeated_chars: repeatedChars } = chunk;
  const repeated = typeof start === "number" && repeatedChars ? text.slice(start, start + repeatedChars) : "";
  return {
    text: repeated + text.slice(chunk.char_start, chunk.char_end),
    ...(repeated !== "" && { repeatedChars: repeated.length }),
    headingPath: chunk.heading_path,
    charStart: chunk.char_start,
    charEnd: chunk.char_end,
    lineStart: chunk.line_start,
    lineEnd: chunk.line_end,
    pageStart: chunk.page_start ?? undefined,
    pageEnd: chunk.page_end ?? undefined,
  };
}

/** Returns the largest id that a document has had. */
function lastDocumentId(db: DatabaseSync): number {
  return count(db, "SELECT seq AS n FROM sqlite_sequence WHERE name = 'documents'");
}
