import type { DatabaseSync } from "node:sqlite";
import { toSearchText } from "../../../analysis/mod.ts";
import { updateColumns } from "./chunk_columns.ts";
import { contentIdOf } from "./content_ids.ts";
import { type StoredRow, withTexts } from "./packed_texts.ts";
import { computedColumns, toSearchHeading } from "./search_text.ts";
import { all, run } from "./sql.ts";

/**
 * Maximum number of chunks that one call indexes again. Erasing the old terms takes about 10 ms per chunk; see
 * purge.ts.
 */
const MAX_CHUNKS = 8;

interface Row {
  id: number;
  title: string;
  search_title: string | null;
  text: string;
  search_text: string | null;
  heading_path: string;
  search_heading: string;
}

/**
 * Indexes the chunks of a document again whose search text an older version has normalized in another way. A
 * title is normalized again only if the document is short enough for one call, because it belongs to every chunk.
 *
 * @returns Whether another call is needed.
 */
export function renormalizeDocument(db: DatabaseSync, documentId: number): boolean {
  const stored = all<StoredRow<Row>>(
    db,
    `SELECT c.id, d.title, d.search_title, c.text, c.search_text, c.heading_path, c.search_heading
       FROM documents d JOIN chunks c ON c.document_id = ? WHERE d.id = ? ORDER BY c.position`,
    contentIdOf(db, documentId),
    documentId,
  );
  const rows = withTexts(db, stored);
  const [first] = rows;
  if (!first) return false;
  const searchTitle = nullIfEqual(toSearchText(first.title), first.title);
  const isTitleChanged = searchTitle !== first.search_title && rows.length <= MAX_CHUNKS;
  const changed: (Pick<Row, "id" | "search_text" | "search_heading">)[] = [];
  for (const { id, text, heading_path, ...before } of rows) {
    const searchText = toSearchText(text);
    const isIndexed = indexedText(text, before.search_text) === searchText &&
      (before.search_heading === "" || before.search_heading === toSearchHeading(heading_path));
    if (isTitleChanged || !isIndexed) changed.push({ id, ...computedColumns(text, searchText) });
    if (changed.length === MAX_CHUNKS) break;
  }
  // FTS5 reads the indexed text to find the terms to delete, so that it must be deleted before it changes.
  for (const { id } of changed) run(db, "DELETE FROM chunks_fts WHERE rowid = ?", id);
  if (isTitleChanged) {
    run(db, "UPDATE documents SET search_title = ? WHERE id = ?", searchTitle, documentId);
    run(
      db,
      "UPDATE contents SET title = ? WHERE document_id = ?",
      searchTitle ?? first.title,
      documentId,
    );
  }
  for (const { id, search_text, search_heading } of changed) {
    run(
      db,
      "UPDATE chunks SET search_text = ?, search_heading = ? WHERE id = ?",
      search_text,
      search_heading,
      id,
    );
    run(
      db,
      `INSERT INTO chunks_fts (rowid, title, heading, body)
       SELECT id, title, heading, body FROM chunk_search WHERE id = ?`,
      id,
    );
  }
  updateColumns(db, changed.map(({ id }) => id));
  return changed.length === MAX_CHUNKS;
}

/** Returns the text that a chunk is indexed with. */
function indexedText(text: string, searchText: string | null): string {
  return searchText === "" ? toSearchText(text) : searchText ?? text;
}

/** Returns the stored form: NULL if normalization does not change the text. */
function nullIfEqual(normalized: string, text: string): string | null {
  return normalized === text ? null : normalized;
}
