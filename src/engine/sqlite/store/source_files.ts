import type { DatabaseSync } from "node:sqlite";
import type { FileContentState } from "../../knowledge_base/mod.ts";
import { first, run, storable } from "./sql.ts";

/** A row of `source_files` that has to be known for a change. */
export interface SourceFileRow {
  id: number;
  document_id: number | null;
  /** JSON array of strings. */
  given_tags: string;
  /** JSON array of strings. */
  own_tags: string;
}

/** Returns the row of a file. */
export function sourceFileRow(db: DatabaseSync, sourceId: number, path: string): SourceFileRow | undefined {
  return first(
    db,
    "SELECT id, document_id, given_tags, own_tags FROM source_files WHERE source_id = ? AND path = ?",
    sourceId,
    storable(path),
  );
}

/** What a file that is gone has left: its document in the trash, and the tags that came from it. */
export type TrashedFile = Omit<SourceFileRow, "id">;

/** Records in the trash which file a document had, so that the document returns with it. */
export function markTrashedFile(
  db: DatabaseSync,
  { document_id, given_tags, own_tags }: SourceFileRow,
  { sourceId, path }: { readonly sourceId: number; readonly path: string },
): void {
  run(
    db,
    "UPDATE trash SET source_id = ?, path = ?, given_tags = ?, own_tags = ? WHERE document_id = ?",
    sourceId,
    storable(path),
    given_tags,
    own_tags,
    document_id,
  );
}

/** Returns the document in the trash that a file had last. */
export function trashedFile(db: DatabaseSync, sourceId: number, path: string): TrashedFile | undefined {
  return first(
    db,
    `SELECT document_id, given_tags, own_tags FROM trash WHERE source_id = ? AND path = ?
      ORDER BY deleted_at DESC, document_id DESC LIMIT 1`,
    sourceId,
    storable(path),
  );
}

/** Result of storing a file. */
export interface FileResult {
  readonly documentId: number | null;
  /** Default: those that are stored. */
  readonly tags?: { readonly given: readonly string[]; readonly own: readonly string[] };
  readonly error?: { readonly code: string; readonly message: string };
}

/** Inserts or replaces the row of a file. */
export function putSourceFile(
  db: DatabaseSync,
  { sourceId, path, state, contentHash, details = {} }: FileContentState,
  { documentId, tags, error }: FileResult,
): void {
  const before = sourceFileRow(db, sourceId, path);
  if (before) run(db, "DELETE FROM source_files WHERE id = ?", before.id);
  run(
    db,
    `INSERT INTO source_files (id, source_id, path, size_bytes, mtime, ctime, checked_at, content_hash, document_id,
                               given_tags, own_tags, error_code, error, details)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    before?.id ?? null,
    sourceId,
    storable(path),
    state.size,
    Math.trunc(state.mtime),
    Math.trunc(state.ctime),
    Math.trunc(state.checkedAt),
    contentHash,
    documentId,
    tags ? JSON.stringify(tags.given) : before?.given_tags ?? "[]",
    tags ? JSON.stringify(tags.own) : before?.own_tags ?? "[]",
    error?.code ?? null,
    error === undefined ? null : storable(error.message),
    JSON.stringify(details),
  );
}

/** Returns the source of a document that has a file, also of a deleted one, with the path that it has there. */
export function sourceOfDocument(
  db: DatabaseSync,
  documentId: number,
): { readonly name: string; readonly sourcePath: string } | undefined {
  const row = first<{ name: string; path: string }>(
    db,
    `SELECT s.name, f.path FROM source_files f JOIN sources s ON s.id = f.source_id WHERE f.document_id = ?`,
    documentId,
  );
  return row && { name: row.name, sourcePath: sourcePathOf(row.name, row.path) };
}

/** Returns the `source_path` of a file. */
export function sourcePathOf(source: string, path: string): string {
  return storable(`${source}/${path}`);
}
