import type { DatabaseSync } from "node:sqlite";
import { toSearchText } from "../../../analysis/mod.ts";
import { removeColumns } from "./chunk_columns.ts";
import { type StoredText, textOf } from "./packed_texts.ts";
import { computedColumns, isSearchTextComputed, toSearchHeading } from "./search_text.ts";
import { all, run } from "./sql.ts";

/** Maximum number of rows in memory. */
const BATCH_SIZE = 500;

/**
 * Normalizes all text for the full-text index again, and rebuilds the index if anything changed. For
 * migrations; takes about 20 s for 100,000 chunks.
 */
export function renormalize(db: DatabaseSync): void {
  const changed = normalizeTitles(db) + normalizeChunks(db);
  if (changed > 0) db.exec("INSERT INTO chunks_fts (chunks_fts) VALUES ('rebuild')");
}

/** Derives everything that the full-text index needs from the stored text again, and rebuilds the index. */
export function rebuildIndex(db: DatabaseSync): void {
  normalizeTitles(db);
  normalizeChunks(db);
  db.exec("INSERT INTO chunks_fts (chunks_fts) VALUES ('rebuild')");
  removeColumns(db);
  // Derived terms return in the background; see analysis.ts.
  db.exec("DELETE FROM derived_fts; UPDATE documents SET analysis_version = 0");
}

function normalizeTitles(db: DatabaseSync): number {
  let changed = 0;
  for (const { id, title, search_title } of eachRow<Title>(db, "documents", "title, search_title")) {
    const normalized = nullIfEqual(toSearchText(title), title);
    if (normalized === search_title) continue;
    run(db, "UPDATE documents SET search_title = ? WHERE id = ?", normalized, id);
    changed++;
  }
  return changed;
}

function normalizeChunks(db: DatabaseSync): number {
  let changed = 0;
  const isComputed = isSearchTextComputed(db);
  const columns = "text, search_text, heading_path, search_heading";
  for (const { id, text: stored, heading_path, ...before } of eachRow<Chunk>(db, "chunks", columns)) {
    const text = textOf(db, stored);
    const searchText = toSearchText(text);
    const { search_text, search_heading } = isComputed
      ? computedColumns(text, searchText)
      : { search_text: nullIfEqual(searchText, text), search_heading: toSearchHeading(heading_path) };
    if (search_text === before.search_text && search_heading === before.search_heading) continue;
    run(
      db,
      "UPDATE chunks SET search_text = ?, search_heading = ? WHERE id = ?",
      search_text,
      search_heading,
      id,
    );
    changed++;
  }
  return changed;
}

interface Title {
  id: number;
  title: string;
  search_title: string | null;
}

interface Chunk {
  id: number;
  text: StoredText;
  search_text: string | null;
  heading_path: string;
  search_heading: string;
}

function* eachRow<Row extends { id: number }>(
  db: DatabaseSync,
  table: string,
  columns: string,
): Generator<Row> {
  for (let last = 0;;) {
    const rows = all<Row>(
      db,
      `SELECT id, ${columns} FROM ${table} WHERE id > ? ORDER BY id LIMIT ${BATCH_SIZE}`,
      last,
    );
    yield* rows;
    if (rows.length < BATCH_SIZE) return;
    last = rows.at(-1)?.id ?? last;
  }
}

/** Returns the stored form: NULL if normalization does not change the text. */
function nullIfEqual(normalized: string, text: string): string | null {
  return normalized === text ? null : normalized;
}
