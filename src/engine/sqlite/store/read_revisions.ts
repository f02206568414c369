import type { DatabaseSync } from "node:sqlite";
import type {
  Document,
  DocumentQuery,
  DocumentSummary,
  Revision,
  RevisionPage,
  TrashPage,
} from "../../../contract/mod.ts";
import {
  decodeDocumentCursor,
  decodeNumberCursor,
  type PageRange,
  takePage,
} from "../../knowledge_base/mod.ts";
import { documentRow, documentSummary } from "./document_rows.ts";
import { countTrash } from "./read_status.ts";
import { documentNotFound } from "./require_document.ts";
import { addDays } from "./retention.ts";
import { readContent } from "./revision_content.ts";
import { REVISION_COLUMNS, type RevisionRow, revisionRow, trashedRevision } from "./revisions.ts";
import { all, count } from "./sql.ts";

/** Returns a former version of a document, which may have been deleted. Its chunks have made-up ids. */
export function getRevision(
  db: DatabaseSync,
  id: number,
  { version = 0, chunks = true, offset = 0, limit }: DocumentQuery,
): Document | undefined {
  const row = revisionRow(db, id, version);
  if (!row) return undefined;
  const metadata = row.metadata === null ? null : JSON.parse(row.metadata) as Record<string, unknown>;
  const document = { ...toSummary(row), metadata };
  if (!chunks) return document;
  const drafts = readContent(db, id, version).chunks;
  return {
    ...document,
    chunks: drafts.slice(offset, limit === undefined ? undefined : offset + limit).map((draft, at) => ({
      chunk_id: `${id}.${version}.${offset + at}`,
      index: offset + at,
      text: draft.text,
      heading_path: [...draft.headingPath],
      page_start: draft.pageStart ?? null,
      page_end: draft.pageEnd ?? null,
      line_start: draft.lineStart,
      line_end: draft.lineEnd,
      char_start: draft.charStart,
      char_end: draft.charEnd,
      ...(draft.repeatedChars && { repeated_chars: draft.repeatedChars }),
    })),
    chunks_total: drafts.length,
    chunks_offset: offset,
  };
}

/**
 * Returns a page of the former versions of a document, newest first.
 *
 * @throws {KnowledgeBaseError} `not_found`, or `invalid` for an unknown cursor.
 */
export function listRevisions(db: DatabaseSync, id: number, { limit, cursor }: PageRange): RevisionPage {
  const document = documentRow(db, id);
  const title = document?.title ?? trashedRevision(db, id)?.title;
  if (title === undefined) throw documentNotFound(id);
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : decodeNumberCursor(cursor);
  const rows = all<RevisionRow>(
    db,
    `SELECT ${REVISION_COLUMNS} FROM revisions r
      WHERE r.document_id = ? AND r.version < ? ORDER BY r.version DESC LIMIT ?`,
    id,
    before,
    limit + 1,
  );
  const page = takePage(rows, { limit, key: ({ version }) => [version] });
  return {
    document_id: id,
    title,
    version: document?.version ?? null,
    revisions: page.rows.map(toRevision),
    total: count(db, "SELECT count(*) AS n FROM revisions WHERE document_id = ?", id),
    next_cursor: page.nextCursor,
  };
}

/**
 * Returns a page of the deleted documents that can be restored, most recently deleted first.
 *
 * @param options.trashDays Days until they are erased.
 * @throws {KnowledgeBaseError} `invalid` for an unknown cursor.
 */
export function listTrash(
  db: DatabaseSync,
  { limit, cursor, trashDays }: PageRange & { readonly trashDays: number },
): TrashPage {
  // A time after all others.
  const [time, id] = cursor === undefined ? ["~", 0] as const : decodeDocumentCursor(cursor);
  const rows = all<RevisionRow>(
    db,
    `SELECT ${REVISION_COLUMNS} FROM trash t
       JOIN revisions r ON r.document_id = t.document_id AND r.version = t.version
      WHERE t.deleted_at <= ? AND (t.deleted_at < ? OR t.document_id < ?)
      ORDER BY t.deleted_at DESC, t.document_id DESC LIMIT ?`,
    time,
    time,
    id,
    limit + 1,
  );
  const page = takePage(rows, { limit, key: ({ changed_at, document_id }) => [changed_at, document_id] });
  return {
    documents: page.rows.map((row) => ({
      ...toSummary(row),
      deleted_at: row.changed_at,
      deleted_by: row.changed_by,
      restorable_until: addDays(row.changed_at, trashDays),
    })),
    total: countTrash(db),
    next_cursor: page.nextCursor,
  };
}

function toSummary(row: RevisionRow): DocumentSummary {
  return documentSummary({ ...row, source: null, tags: tagsOf(row) });
}

function toRevision(row: RevisionRow): Revision {
  return {
    version: row.version,
    title: row.title,
    doc_type: row.doc_type,
    source_path: row.source_path,
    tags: tagsOf(row),
    size_bytes: row.size_bytes,
    chunk_count: row.chunk_count,
    changed_at: row.changed_at,
    change: row.change,
    changed_by: row.changed_by,
  };
}

function tagsOf({ tags }: RevisionRow): string[] {
  return JSON.parse(tags) as string[];
}
