import type { DatabaseSync } from "node:sqlite";
import type { Document, DocumentPage, DocumentQuery, DocumentsQuery } from "../../../contract/mod.ts";
import { dateInputTime } from "../../../contract/rules/mod.ts";
import { attachmentsOf } from "./attachments.ts";
import { chunksOf } from "./chunks.ts";
import { decodeDocumentCursor, takePage } from "../../knowledge_base/mod.ts";
import {
  DocumentConditions,
  MOST_RECENT_FIRST,
  RECENCY,
  SCAN_THRESHOLD,
  tagNamed,
} from "./document_conditions.ts";
import { documentWithMetadata, parseMetadata, toDocumentSummary } from "./document_rows.ts";
import { noteText } from "./note_texts.ts";
import { storedPath } from "./path_forms.ts";
import { getRevision } from "./read_revisions.ts";
import { documentNotFound } from "./require_document.ts";
import { trashedRevision } from "./revisions.ts";
import { first } from "./sql.ts";

/** Whether a document is stored or can be restored: in one statement, which sees one commit. */
export function isKnownDocument(db: DatabaseSync, id: number): boolean {
  return first(
    db,
    "SELECT 1 FROM documents WHERE id = ?1 UNION ALL SELECT 1 FROM trash WHERE document_id = ?1 LIMIT 1",
    id,
  ) !== undefined;
}

/**
 * Returns a document with its tags and metadata and, unless `chunks` is false, its chunks from `offset`. With a
 * `version` that is not the current one, returns that one, also of a deleted document.
 */
export function getDocument(
  db: DatabaseSync,
  id: number,
  query: DocumentQuery = {},
): Document | undefined {
  const { version, chunks = true, offset = 0, limit, text = false } = query;
  const row = documentWithMetadata(db, id);
  if (version !== undefined && version !== row?.version) return getRevision(db, id, query);
  if (!row) {
    const trashed = trashedRevision(db, id);
    if (trashed) throw documentNotFound(id, trashed);
    return undefined;
  }
  const attachments = attachmentsOf(db, id);
  const document = {
    ...toDocumentSummary(db, row),
    ...(attachments.length > 0 && { attachments }),
    metadata: parseMetadata(row.metadata),
    ...(text && row.doc_type === "note" && { text: noteText(db, id) }),
  };
  if (!chunks) return document;
  return {
    ...document,
    chunks: chunksOf(db, id, offset, limit),
    chunks_total: row.chunk_count,
    chunks_offset: offset,
  };
}

/**
 * Returns a page of matching documents, most recently modified or created first.
 *
 * @throws {KnowledgeBaseError} `invalid` for an unknown cursor.
 */
export function listDocuments(db: DatabaseSync, query: DocumentsQuery & { limit: number }): DocumentPage {
  const conditions = new DocumentConditions();
  if (query.source_path !== undefined) conditions.add("d.source_path = ?", storedPath(db, query.source_path));
  if (query.doc_type !== undefined) conditions.add("d.doc_type = ?", query.doc_type);
  if (query.since !== undefined) conditions.add(`${RECENCY} >= ?`, sinceTime(query.since));
  const tag = query.tag === undefined ? undefined : tagNamed(db, query.tag);
  if (query.tag !== undefined && !tag) return { documents: [], total: 0, next_cursor: null };

  const total = tag && conditions.isEmpty ? tag.documents : conditions.withTag(tag, true).count(db);
  if (query.cursor !== undefined) {
    conditions.addAfter(...decodeDocumentCursor(query.cursor), MOST_RECENT_FIRST);
  }
  // One row more than the limit shows whether there is a next page.
  const rows = conditions.withTag(tag, total < SCAN_THRESHOLD).select(db, MOST_RECENT_FIRST, query.limit + 1);
  const page = takePage(rows, { limit: query.limit, key: ({ sort_key, id }) => [sort_key, id] });
  return {
    documents: page.rows.map((row) => toDocumentSummary(db, row)),
    total,
    next_cursor: page.nextCursor,
  };
}

const FIRST_TIME = Date.parse("0000-01-01T00:00:00.000Z");
const LAST_TIME = Date.parse("9999-12-31T23:59:59.999Z");

/** Returns the first instant of a `DateInput` in the format of stored times. */
export function sinceTime(input: string): string {
  // An offset can move a time out of the years 0 to 9999, beyond which times do not sort as text.
  const time = Math.min(Math.max(dateInputTime(input, "since"), FIRST_TIME), LAST_TIME);
  return new Date(time).toISOString();
}
