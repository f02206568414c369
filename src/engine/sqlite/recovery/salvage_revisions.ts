import type { DatabaseSync } from "node:sqlite";
import { all, isReadableContent, run } from "../store/mod.ts";
import { packedChunks } from "./salvage_contents.ts";

interface SavedRevision {
  id: number;
  document_id: number;
  version: number;
  has_content: number;
  /** Current version of the document; null if it is deleted or lost. */
  live_version: number | null;
}

/**
 * Makes copied revisions consistent. A revision without text has that of the next newer version, so it is
 * deleted unless that one is complete. Deleted documents are found by their revisions; so are those whose row is
 * lost, if their last text is not.
 *
 * @param options.incomplete Ids of documents whose current text is not complete.
 * @returns Number of deleted revisions.
 */
export function repairRevisions(
  db: DatabaseSync,
  { incomplete, now }: { readonly incomplete: readonly number[]; readonly now: () => string },
): number {
  const deleted = [...revisionsWithoutText(db, new Set(incomplete))];
  for (const id of deleted) run(db, "DELETE FROM revisions WHERE id = ?", id);
  run(db, "DELETE FROM trash");
  run(
    db,
    `INSERT INTO trash (document_id, version, deleted_at)
     SELECT document_id, version, iif(change = 'deleted', changed_at, ?) FROM revisions r
      WHERE document_id NOT IN (SELECT id FROM documents)
        AND version = (SELECT max(version) FROM revisions WHERE document_id = r.document_id)`,
    now(),
  );
  return deleted.length;
}

/** Yields the ids of revisions whose text is lost. */
function* revisionsWithoutText(db: DatabaseSync, incomplete: ReadonlySet<number>): Generator<number> {
  const revisions = all<SavedRevision>(
    db,
    `SELECT r.id, r.document_id, r.version, ${hasContent(db)} AS has_content, d.version AS live_version
       FROM revisions r LEFT JOIN documents d ON d.id = r.document_id
      ORDER BY r.document_id, r.version DESC`,
  );
  let documentId: number | undefined;
  /** The last version seen whose text is known. */
  let next: number | undefined;
  for (const { id, document_id, version, has_content, live_version } of revisions) {
    if (document_id !== documentId) {
      documentId = document_id;
      next = live_version === null || incomplete.has(document_id) ? undefined : live_version;
    }
    const hasText = has_content ? isReadable(db, id) : next === version + 1;
    next = hasText ? version : undefined;
    if (!hasText) yield id;
  }
}

function isReadable(db: DatabaseSync, id: number): boolean {
  const [row] = all<{ content: Uint8Array | null; content_id?: number | null; chunk_count: number }>(
    db,
    "SELECT * FROM revisions WHERE id = ?",
    id,
  );
  if (row?.content) return isReadableContent(row.content);
  return typeof row?.content_id === "number" && packedChunks(db, row.content_id) === row.chunk_count;
}

/** SQL expression for whether a revision has a text of its own. An older version has no long texts. */
function hasContent(db: DatabaseSync): string {
  const columns = all<{ name: string }>(db, "SELECT name FROM pragma_table_info('revisions')");
  return columns.some(({ name }) => name === "content_id")
    ? "(r.content IS NOT NULL OR r.content_id IS NOT NULL)"
    : "r.content IS NOT NULL";
}
