/**
 * The normalized text of chunks in the full-text index. It is computed from the stored text when SQLite needs it: FTS5
 * reads the view `chunk_search` to remove a chunk from the index, to check the index and to build it again.
 *
 * A chunk must be removed with the text that it was indexed with. A version that normalizes differently must therefore
 * register its function under a new name, keep the old one for rows that were not indexed again (see
 * renormalize_document.ts), and mark the new rows in another way than by an empty column.
 *
 * A runtime with a newer version of Unicode normalizes characters that were added since, which older text hardly has.
 * The version is stored, so that kb-mcp check can report another one; kb-mcp repair builds the index again.
 *
 * @module
 */
import type { DatabaseSync } from "node:sqlite";
import { normalizeForSearch, toSearchText } from "../../../analysis/mod.ts";
import { textForView } from "./packed_texts.ts";
import { first } from "./sql.ts";

/** Adds the functions that the view `chunk_search` and the filter by title call to a connection. */
export function registerFunctions(db: DatabaseSync): void {
  const options = { deterministic: true };
  db.function("kb_search_text", options, (stored) => {
    const text = textForView(db, stored);
    return text === null ? null : toSearchText(text);
  });
  // Without the option: the symbols can be learned after a statement was prepared.
  db.function("kb_text", (stored) => textForView(db, stored));
  db.function("kb_search_heading", options, (path) => toSearchHeading(String(path)));
  db.function("kb_folded", options, (name) => foldName(String(name)));
}

/** Returns a title or file name without case and accents. */
export function foldName(name: string): string {
  return normalizeForSearch(name).toLowerCase();
}

/** Returns the normalized headings of a chunk. `path` is a JSON array of strings. */
export function toSearchHeading(path: string): string {
  return toSearchText(headingText(path));
}

/** Returns the headings of a chunk, one a line, as they are normalized. `path` is a JSON array of strings. */
export function headingText(path: string): string {
  return path === "[]" ? "" : (JSON.parse(path) as string[]).join("\n");
}

/** Columns of a chunk with its normalized text. */
export interface SearchColumns {
  /** Null: equal to the text. Empty: computed. */
  readonly search_text: string | null;
  /** Empty: computed. */
  readonly search_heading: string;
}

/** Returns the columns of a chunk whose normalized text is computed. */
export function computedColumns(text: string, searchText: string): SearchColumns {
  return { search_text: searchText === text ? null : "", search_heading: "" };
}

/** Whether the view `chunk_search` computes text. It does not while an older database is migrated. */
export function isSearchTextComputed(db: DatabaseSync): boolean {
  const view = first<{ sql: string }>(db, "SELECT sql FROM sqlite_schema WHERE name = 'chunk_search'");
  return view?.sql.includes("kb_search_text") ?? false;
}
