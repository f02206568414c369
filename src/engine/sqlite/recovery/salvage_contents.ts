import type { DatabaseSync } from "node:sqlite";
import { all, count, countChunks, packSlice, run } from "../store/mod.ts";

/** Number of chunks that are packed together. */
const PART_CHUNKS = 128;

/**
 * Completes what the steps of content_steps.ts would have done with copied texts, since the copy has no index: removes
 * texts that belong to no document and no revision, and packs those of revisions.
 */
export function repairContents(db: DatabaseSync): void {
  const hidden = all<{ id: number; is_kept: number }>(
    db,
    `SELECT id, EXISTS (SELECT 1 FROM revisions r WHERE r.content_id = x.id) AS is_kept FROM contents x
      WHERE document_id IS NULL`,
  );
  for (const { id, is_kept } of hidden) {
    while (is_kept && moveSlice(db, id));
    run(db, "DELETE FROM chunks WHERE document_id = ?", id);
    if (is_kept) run(db, "UPDATE contents SET is_staged = 0, chunk_count = 0 WHERE id = ?", id);
    else {
      run(db, "DELETE FROM content_parts WHERE content_id = ?", id);
      run(db, "DELETE FROM contents WHERE id = ?", id);
    }
  }
  // Packed texts whose row is lost are still that of their revision.
  const lost = all<{ id: number }>(
    db,
    `SELECT DISTINCT content_id AS id FROM content_parts WHERE content_id NOT IN (SELECT id FROM contents)`,
  );
  for (const { id } of lost) addContentRow(db, id, { documentId: null, title: "", chunks: 0 });
}

/** Adds a row for chunks or parts whose row is lost. */
export function addContentRow(
  db: DatabaseSync,
  id: number,
  { documentId, title, chunks }: {
    readonly documentId: number | null;
    readonly title: string;
    readonly chunks: number;
  },
): void {
  run(
    db,
    "INSERT INTO contents (id, document_id, is_staged, title, chunk_count) VALUES (?, ?, 0, ?, ?)",
    id,
    documentId,
    title,
    chunks,
  );
}

/** Returns the number of chunks of a packed text up to the first damaged or missing part. */
export function packedChunks(db: DatabaseSync, contentId: number): number {
  const parts = all<{ position: number; chunks: Uint8Array }>(
    db,
    "SELECT position, chunks FROM content_parts WHERE content_id = ? ORDER BY position",
    contentId,
  );
  let chunks = 0;
  for (const part of parts) if (part.position === chunks) chunks += countChunks(part.chunks);
  return chunks;
}

/** Packs the first chunks of a text. Returns whether there were any. */
function moveSlice(db: DatabaseSync, contentId: number): boolean {
  if (count(db, "SELECT EXISTS (SELECT 1 FROM chunks WHERE document_id = ?) AS n", contentId) === 0) {
    return false;
  }
  packSlice(db, contentId, PART_CHUNKS);
  run(
    db,
    "DELETE FROM chunks WHERE id IN (SELECT id FROM chunks WHERE document_id = ? ORDER BY position LIMIT ?)",
    contentId,
    PART_CHUNKS,
  );
  return true;
}
