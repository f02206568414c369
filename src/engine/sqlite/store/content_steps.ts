import type { DatabaseSync } from "node:sqlite";
import { contentDrafts, removeChunks } from "./chunks.ts";
import { packChunks } from "./revision_content.ts";
import { first, inTransaction, run } from "./sql.ts";

/** Maximum number of chunks that one step removes from the index: about 20 ms. See stage_text.ts. */
const STEP_CHUNKS = 64;
/** Maximum number of packed parts that one step deletes. Overwriting them in the file takes about 20 ms. */
const STEP_PARTS = 32;

/** Whether a revision has the text `x`. */
const IS_KEPT = "EXISTS (SELECT 1 FROM revisions r WHERE r.content_id = x.id)";

/** Whether the text `x` is still being written. */
const IS_STAGED = `is_staged = 1 AND
  (job_id IS NULL OR EXISTS (SELECT 1 FROM jobs j WHERE j.id = x.job_id AND j.status = 'processing'))`;

/** A hidden text with chunks in the index, or without a purpose. */
interface HiddenContent {
  id: number;
  chunk_count: number;
  is_kept: number;
}

/** Whether hidden texts wait for {@linkcode contentStep}. */
export function hasContentToRemove(db: DatabaseSync): boolean {
  return nextContent(db) !== undefined;
}

/**
 * Removes chunks of a hidden text from the index, in a transaction of its own. Those of a former version are kept in
 * packed form.
 *
 * @param stepChunks Maximum number of chunks. @default {64}
 * @returns Whether more steps are needed.
 */
export function contentStep(db: DatabaseSync, stepChunks = STEP_CHUNKS): boolean {
  const content = nextContent(db);
  if (!content) return false;
  inTransaction(db, () => {
    if (content.chunk_count > 0) removeSlice(db, content, stepChunks);
    else removeParts(db, content.id);
  });
  return true;
}

function nextContent(db: DatabaseSync): HiddenContent | undefined {
  return first(
    db,
    `SELECT id, chunk_count, ${IS_KEPT} AS is_kept FROM contents x
      WHERE document_id IS NULL AND NOT (${IS_STAGED}) AND (chunk_count > 0 OR NOT ${IS_KEPT}) LIMIT 1`,
  );
}

function removeSlice(db: DatabaseSync, { id, is_kept }: HiddenContent, stepChunks: number): void {
  if (is_kept) packSlice(db, id, stepChunks);
  const removed = removeChunks(db, id, stepChunks);
  // Less than a slice was the rest, whatever the count says.
  run(
    db,
    "UPDATE contents SET chunk_count = iif(? < ?, 0, max(0, chunk_count - ?)) WHERE id = ?",
    removed,
    stepChunks,
    removed,
    id,
  );
}

/** Packs the first chunks of a text. They must be removed in the same transaction. */
export function packSlice(db: DatabaseSync, contentId: number, limit: number): void {
  const position = first<{ position: number }>(
    db,
    "SELECT position FROM chunks WHERE document_id = ? ORDER BY position LIMIT 1",
    contentId,
  )?.position;
  if (position === undefined) return;
  run(
    db,
    "INSERT INTO content_parts (content_id, position, chunks) VALUES (?, ?, ?)",
    contentId,
    position,
    packChunks(contentDrafts(db, contentId, { limit })),
  );
}

function removeParts(db: DatabaseSync, contentId: number): void {
  const { changes } = run(
    db,
    "DELETE FROM content_parts WHERE rowid IN (SELECT rowid FROM content_parts WHERE content_id = ? LIMIT ?)",
    contentId,
    STEP_PARTS,
  );
  if (changes < STEP_PARTS) run(db, "DELETE FROM contents WHERE id = ?", contentId);
}
