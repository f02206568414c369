import type { DatabaseSync } from "node:sqlite";
import type { Chunk } from "../../../contract/mod.ts";
import { derivedTerms, toSearchText } from "../../../analysis/mod.ts";
import type { ChunkDraft } from "../../../extraction/mod.ts";
import type { PreparedChunk, PreparedText } from "../../knowledge_base/mod.ts";
import { contentIdOf } from "./content_ids.ts";
import { logDeletions } from "./deletion_log.ts";
import { type StoredRow, storedText, withTexts } from "./packed_texts.ts";
import { removeFromIndex } from "./purge.ts";
import { computedColumns } from "./search_text.ts";
import { all, run, storable } from "./sql.ts";

/** A title and its normalized form for the index, which is null if they are equal. */
export interface IndexedTitle {
  readonly title: string;
  readonly searchTitle: string | null;
}

/** Prepares a title for a row of `documents`. */
export function indexedTitle(text: string): IndexedTitle {
  const title = storable(text);
  const normalized = toSearchText(title);
  return { title, searchTitle: normalized === title ? null : normalized };
}

/**
 * Stores and indexes chunks of a text. Triggers would take three times as long to index them.
 *
 * @param contentId Id of the document, or of a row of `contents`.
 * @param options.languages Languages of derived terms.
 * @param options.firstPosition Position of the first chunk. @default {0}
 * @param options.prepared Index of the chunks, if it was computed already.
 */
export function addChunks(
  db: DatabaseSync,
  contentId: number,
  { title, searchTitle }: IndexedTitle,
  drafts: readonly ChunkDraft[],
  { languages = [], firstPosition = 0, prepared }: {
    readonly languages?: readonly string[];
    readonly firstPosition?: number;
    readonly prepared?: PreparedText | undefined;
  } = {},
): void {
  const derivedTitle = prepared?.derivedTitle ?? derivedTitleOf(title, languages);
  for (const [index, draft] of drafts.entries()) {
    const text = storable(draft.text);
    const headings = draft.headingPath.map(storable);
    const headingPath = JSON.stringify(headings);
    const { searchText, heading, derived } = prepared?.chunks[index] ??
      prepareChunk(text, headings, languages);
    const columns = computedColumns(text, searchText ?? text);
    const { id } = run(
      db,
      `INSERT INTO chunks (document_id, position, text, search_text, heading_path, search_heading,
                           page_start, page_end, line_start, line_end, char_start, char_end,
                           repeated_chars)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      contentId,
      firstPosition + index,
      storedText(db, text),
      columns.search_text,
      headingPath,
      columns.search_heading,
      draft.pageStart ?? null,
      draft.pageEnd ?? null,
      draft.lineStart,
      draft.lineEnd,
      draft.charStart,
      draft.charEnd,
      draft.repeatedChars ?? 0,
    );
    run(
      db,
      "INSERT INTO chunks_fts (rowid, title, heading, body) VALUES (?, ?, ?, ?)",
      id,
      searchTitle ?? title,
      heading,
      searchText ?? text,
    );
    if (derived) addDerivedTerms(db, id, [derivedTitle, ...derived]);
  }
}

/** Returns the derived terms of a title, which every chunk has in the index. */
export function derivedTitleOf(title: string, languages: readonly string[]): string {
  return derivedTerms(title, languages);
}

/** Computes the index of a chunk. `text` and `headings` are as they are stored. */
export function prepareChunk(
  text: string,
  headings: readonly string[],
  languages: readonly string[],
): PreparedChunk {
  const searchText = toSearchText(text);
  const joined = headings.join("\n");
  return {
    searchText: searchText === text ? null : searchText,
    heading: joined === "" ? "" : toSearchText(joined),
    ...(languages.length > 0 &&
      { derived: [derivedTerms(joined, languages), derivedTerms(text, languages)] }),
  };
}

/** Indexes the derived terms of a chunk's title, headings and text. */
export function addDerivedTerms(
  db: DatabaseSync,
  chunkId: number,
  [title, heading, body]: readonly [title: string, heading: string, body: string],
): void {
  if (title + heading + body === "") return;
  run(
    db,
    "INSERT INTO derived_fts (rowid, title, heading, body) VALUES (?, ?, ?, ?)",
    chunkId,
    title,
    heading,
    body,
  );
}

/**
 * Deletes the chunks of a text from the index and the store. Must be called before the title changes: FTS5 reads
 * the indexed text again to find the terms to delete.
 *
 * @param limit Maximum number of chunks, first positions first. Negative: all.
 * @returns Number of deleted chunks.
 */
export function removeChunks(db: DatabaseSync, contentId: number, limit = -1): number {
  const ids = all<{ id: number }>(
    db,
    "SELECT id FROM chunks WHERE document_id = ? ORDER BY position LIMIT ?",
    contentId,
    limit,
  ).map(({ id }) => id);
  removeFromIndex(db, ids);
  logDeletions(db, ids);
  run(db, "DELETE FROM chunks WHERE id IN (SELECT value FROM json_each(?))", JSON.stringify(ids));
  return ids.length;
}

/** A chunk with the names of the contract. */
export interface ChunkRow {
  chunk_id: number;
  index: number;
  text: string;
  /** JSON array of strings. */
  heading_path: string;
  page_start: number | null;
  page_end: number | null;
  line_start: number | null;
  line_end: number | null;
  char_start: number | null;
  char_end: number | null;
  repeated_chars: number;
}

/** Returns chunks of a document in reading order. */
export function chunksOf(
  db: DatabaseSync,
  documentId: number,
  offset: number,
  limit: number | undefined,
): Chunk[] {
  return contentChunks(db, contentIdOf(db, documentId), offset, limit);
}

/** Returns chunks of a text in reading order. */
function contentChunks(
  db: DatabaseSync,
  contentId: number,
  offset: number,
  limit: number | undefined,
): Chunk[] {
  // Positions are consecutive, so an offset is a condition on the index and skips no rows.
  const rows = all<StoredRow<ChunkRow>>(
    db,
    `SELECT id AS chunk_id, position AS "index", text, heading_path,
            page_start, page_end, line_start, line_end, char_start, char_end, repeated_chars
       FROM chunks WHERE document_id = ? AND position >= ? ORDER BY position LIMIT ?`,
    contentId,
    offset,
    limit ?? -1,
  );
  return withTexts(db, rows).map(({ heading_path, repeated_chars, ...row }) => ({
    ...row,
    ...(repeated_chars > 0 && { repeated_chars }),
    heading_path: JSON.parse(heading_path) as string[],
  }));
}

/** Returns all chunks of a document as they were before they had ids. */
export function chunkDrafts(db: DatabaseSync, documentId: number): ChunkDraft[] {
  return contentDrafts(db, contentIdOf(db, documentId));
}

/**
 * Returns chunks of a text as they were before they had ids.
 *
 * @param contentId Id of the document, or of a row of `contents`.
 * @param options.from Position of the first one. @default {0}
 * @param options.limit Maximum number of chunks. Default: all.
 */
export function contentDrafts(
  db: DatabaseSync,
  contentId: number,
  { from = 0, limit }: { readonly from?: number; readonly limit?: number } = {},
): ChunkDraft[] {
  return contentChunks(db, contentId, from, limit).map((chunk) => ({
    text: chunk.text,
    ...(chunk.repeated_chars && { repeatedChars: chunk.repeated_chars }),
    headingPath: chunk.heading_path ?? [],
    charStart: chunk.char_start ?? 0,
    charEnd: chunk.char_end ?? 0,
    lineStart: chunk.line_start ?? 1,
    lineEnd: chunk.line_end ?? 1,
    pageStart: chunk.page_start ?? undefined,
    pageEnd: chunk.page_end ?? undefined,
  }));
}
