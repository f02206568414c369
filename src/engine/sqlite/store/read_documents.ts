import type { DatabaseSync } from "node:sqlite";
import type { Document, DocumentPage, DocumentQuery, DocumentsQuery } from "../../../contract/mod.ts";
import { chunksOf } from "./chunks.ts";
import { decodeDocumentCursor, encodeCursor } from "../../knowledge_base/mod.ts";
import { DocumentFilters, RECENCY, tagNamed } from "./document_filters.ts";
import { documentMetadata, documentRow, summarise } from "./documents.ts";
import { storable } from "./sql.ts";
import { sinceTime } from "./time.ts";

/** A document with its tags and, unless `chunks` is false, its chunks from `offset` on. Undefined: there is none. */
export function getDocument(
  db: DatabaseSync,
  id: number,
  { chunks = true, offset = 0, limit }: DocumentQuery = {},
): Document | undefined {
  const row = documentRow(db, id);
  if (!row) return undefined;
  const document = { ...summarise(db, row), metadata: documentMetadata(db, id) };
  if (!chunks) return document;
  return {
    ...document,
    chunks: chunksOf(db, id, offset, limit),
    chunks_total: row.chunk_count,
    chunks_offset: offset,
  };
}

/** Documents with a tag below which they are sorted, and above which the newest of all are looked through for it. */
const RARE = 1000;

/**
 * A page of the documents that match, most recently modified or created first.
 *
 * @throws {KnowledgeBaseError} `invalid` for a cursor that is none.
 */
export function listDocuments(db: DatabaseSync, query: DocumentsQuery & { limit: number }): DocumentPage {
  const filters = new DocumentFilters();
  if (query.source_path !== undefined) filters.add("d.source_path = ?", storable(query.source_path));
  if (query.doc_type !== undefined) filters.add("d.doc_type = ?", query.doc_type);
  if (query.since !== undefined) filters.add(`${RECENCY} >= ?`, sinceTime(query.since));
  const tag = query.tag === undefined ? undefined : tagNamed(db, query.tag);
  if (query.tag !== undefined && !tag) return { documents: [], total: 0, next_cursor: null };

  const total = tag && filters.isEmpty ? tag.documents : filters.plusTag(tag, true).count(db);
  if (query.cursor !== undefined) {
    const [recency, id] = decodeDocumentCursor(query.cursor);
    filters.add(`${RECENCY} <= ? AND (${RECENCY} < ? OR d.id < ?)`, recency, recency, id);
  }
  // One row more than asked for tells whether there is a next page.
  const rows = filters.plusTag(tag, total < RARE).select(db, query.limit + 1);
  const page = rows.slice(0, query.limit);
  const last = page.at(-1);
  return {
    documents: page.map((row) => summarise(db, row)),
    total,
    next_cursor: last && rows.length > page.length
      ? encodeCursor([last.updated_at ?? last.created_at, last.id])
      : null,
  };
}
