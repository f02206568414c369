import type { DatabaseSync } from "node:sqlite";
import type { DocType, DocumentSummary } from "../../../contract/mod.ts";
import { messageOf } from "./attachments.ts";
import { first } from "./sql.ts";
import { tagsOf } from "./tags.ts";

/** A row of `documents`, without large columns and those of the index. */
export interface DocumentRow {
  id: number;
  title: string;
  title_derived: number;
  doc_type: DocType;
  source_path: string | null;
  content_hash: string;
  size_bytes: number;
  chunk_count: number;
  created_at: string;
  updated_at: string | null;
  language: string | null;
  version: number;
  changed_by: string | null;
  source: string | null;
  warning: string | null;
}

/** Columns of {@linkcode DocumentRow}. */
export const DOCUMENT_COLUMNS =
  "id, title, title_derived, doc_type, source_path, content_hash, size_bytes, chunk_count, created_at, updated_at, language, version, changed_by, source, warning";

/** Condition on the hash of a document, a parameter that is given twice. The index has the start of hashes. */
export const HAS_HASH = "substr(content_hash, 1, 16) = substr(?, 1, 16) AND content_hash = ?";

/** Returns a document by id. */
export function documentRow(db: DatabaseSync, id: number): DocumentRow | undefined {
  return first(db, `SELECT ${DOCUMENT_COLUMNS} FROM documents WHERE id = ?`, id);
}

/** Returns a document by id, with its front matter or properties as JSON. */
export function documentWithMetadata(
  db: DatabaseSync,
  id: number,
): DocumentRow & { readonly metadata: string | null } | undefined {
  return first(db, `SELECT ${DOCUMENT_COLUMNS}, metadata FROM documents WHERE id = ?`, id);
}

/** Returns the document with a source path. */
export function documentAtPath(db: DatabaseSync, sourcePath: string): DocumentRow | undefined {
  return first(db, `SELECT ${DOCUMENT_COLUMNS} FROM documents WHERE source_path = ?`, sourcePath);
}

/** Returns the oldest note, or the oldest file, with this content that does not follow a source. */
export function documentWithHash(db: DatabaseSync, hash: string, isNote: boolean): DocumentRow | undefined {
  return first(
    db,
    `SELECT ${DOCUMENT_COLUMNS} FROM documents
      WHERE ${HAS_HASH} AND (doc_type = 'note') = ? AND source IS NULL ORDER BY id LIMIT 1`,
    hash,
    hash,
    isNote ? 1 : 0,
  );
}

/** Returns the front matter or properties of a document. */
export function documentMetadata(db: DatabaseSync, id: number): Record<string, unknown> | null {
  const row = first<{ metadata: string | null }>(db, "SELECT metadata FROM documents WHERE id = ?", id);
  return parseMetadata(row?.metadata);
}

/** Parses the stored front matter or properties of a document. */
export function parseMetadata(json: string | null | undefined): Record<string, unknown> | null {
  return json ? JSON.parse(json) as Record<string, unknown> : null;
}

/** Converts a row to the contract's type. */
export function toDocumentSummary(db: DatabaseSync, row: DocumentRow): DocumentSummary {
  const parentId = messageOf(db, row.id);
  return {
    ...documentSummary({ ...row, document_id: row.id, tags: tagsOf(db, row.id) }),
    ...(parentId !== undefined && { parent_id: parentId }),
  };
}

/** Returns the fields of a document, or of a former version, that the contract names. */
export function documentSummary(
  row: Omit<DocumentRow, "id"> & { readonly document_id: number; readonly tags: string[] },
): DocumentSummary {
  return {
    document_id: row.document_id,
    title: row.title,
    doc_type: row.doc_type,
    source_path: row.source_path,
    tags: row.tags,
    created_at: row.created_at,
    updated_at: row.updated_at,
    content_hash: row.content_hash,
    size_bytes: row.size_bytes,
    chunk_count: row.chunk_count,
    language: row.language,
    version: row.version,
    ...(row.source === null ? {} : { source: row.source }),
    ...(row.warning === null ? {} : { warning: row.warning }),
  };
}
