import type { DatabaseSync } from "node:sqlite";
import { allArrays, type ChunkRow } from "../store/read_only.ts";
import { ChunkCache, type SizedValue } from "./chunk_cache.ts";
import { ChunkText, type ChunkTextRow } from "./chunk_text.ts";

/** Maximum length of all texts in memory, in UTF-16 code units: the chunks of a small store, and frequent results. */
const MAX_CACHED_CHARS = 2 * 2 ** 20;

/** A chunk as it is stored, with the title of its document. */
export interface StoredChunk extends Readonly<ChunkRow>, ChunkTextRow {}

/** The fields of a {@linkcode StoredChunk} in the order of the SELECT list. */
type StoredColumns = readonly [
  chunk_id: number,
  index: number,
  text: string,
  search_text: string | null,
  heading_path: string,
  search_heading: string,
  page_start: number | null,
  page_end: number | null,
  line_start: number | null,
  line_end: number | null,
  char_start: number | null,
  char_end: number | null,
  repeated_chars: number,
  search_title: string,
];

/** Reads the texts of chunks. Those that searches use often stay in memory until the database changes. */
export class ChunkTexts {
  readonly #db: DatabaseSync;
  readonly #cache = new ChunkCache<ChunkText<StoredChunk>>(MAX_CACHED_CHARS);

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** Removes the texts of another version of the database. Call it first in every read transaction. */
  refresh(version: string): void {
    this.#cache.refresh(version);
  }

  /** Returns the texts of those chunks that exist. */
  read(chunks: readonly number[]): Map<number, ChunkText<StoredChunk>> {
    return this.#cache.read(chunks, (missing) => this.#load(missing));
  }

  #load(missing: readonly number[]): SizedValue<ChunkText<StoredChunk>>[] {
    // The view `chunk_search` would compute all of its columns for each row.
    const rows = allArrays<StoredColumns>(
      this.#db,
      `SELECT c.id, c.position, c.text, c.search_text, c.heading_path, c.search_heading,
              c.page_start, c.page_end, c.line_start, c.line_end, c.char_start, c.char_end, c.repeated_chars,
              coalesce(x.title, d.search_title, d.title)
         FROM json_each(?) j CROSS JOIN chunks c ON c.id = j.value
         LEFT JOIN contents x ON x.id = c.document_id LEFT JOIN documents d ON d.id = c.document_id`,
      JSON.stringify(missing),
    );
    return rows.map((columns) => {
      const text = new ChunkText(toStoredChunk(columns));
      return [text.row.chunk_id, text, text.size] as const;
    });
  }
}

function toStoredChunk(
  [
    chunk_id,
    index,
    text,
    search_text,
    heading_path,
    search_heading,
    page_start,
    page_end,
    line_start,
    line_end,
    char_start,
    char_end,
    repeated_chars,
    search_title,
  ]: StoredColumns,
): StoredChunk {
  return {
    chunk_id,
    index,
    text,
    search_text,
    heading_path,
    search_heading,
    page_start,
    page_end,
    line_start,
    line_end,
    char_start,
    char_end,
    repeated_chars,
    search_title,
  };
}
