import type { DatabaseSync } from "node:sqlite";
import { allArrays, type ChunkRow } from "../store/read_only.ts";
import { ChunkCache, type SizedValue } from "./chunk_cache.ts";
import { ChunkText, type ChunkTextRow } from "./chunk_text.ts";

/** Maximum length of all texts in memory, in UTF-16 code units: the chunks of a small store, and frequent results. */
const MAX_CACHED_CHARS = 2 * 2 ** 20;

/** Maximum number of texts that a statement reads to compare them with a pattern. */
const MAX_TEXTS_AT_ONCE = 128;

/** A chunk as it is stored, with the title of its document. */
export interface StoredChunk extends Readonly<ChunkRow>, ChunkTextRow {}

/** The fields of a {@linkcode StoredChunk} in SQL. The view `chunk_search` would compute all of its columns. */
const COLUMNS: Readonly<Record<keyof StoredChunk, string>> = {
  chunk_id: "c.id",
  index: "c.position",
  text: "c.text",
  search_text: "c.search_text",
  heading_path: "c.heading_path",
  search_heading: "c.search_heading",
  page_start: "c.page_start",
  page_end: "c.page_end",
  line_start: "c.line_start",
  line_end: "c.line_end",
  char_start: "c.char_start",
  char_end: "c.char_end",
  repeated_chars: "c.repeated_chars",
  search_title: "coalesce(x.title, d.search_title, d.title)",
};
const FIELDS = Object.keys(COLUMNS);
const SELECT_LIST = Object.values(COLUMNS).join(", ");

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

  /**
   * Returns those of the chunks that exist and whose text matches a pattern as it is stored. Reads nothing else, and
   * keeps nothing: most of many chunks are read once. Texts whose normalized form is stored match no pattern.
   */
  matching(chunks: readonly number[], pattern: RegExp): Set<number> {
    const found = new Set<number>();
    for (let at = 0; at < chunks.length; at += MAX_TEXTS_AT_ONCE) {
      const rows = allArrays(
        this.#db,
        `SELECT c.id, c.text FROM json_each(?) j CROSS JOIN chunks c ON c.id = j.value
          WHERE c.search_text IS NULL OR c.search_text = ''`,
        JSON.stringify(chunks.slice(at, at + MAX_TEXTS_AT_ONCE)),
      ) as [id: number, text: string][];
      for (const [id, text] of rows) if (pattern.test(text)) found.add(id);
    }
    return found;
  }

  #load(missing: readonly number[]): SizedValue<ChunkText<StoredChunk>>[] {
    const rows = allArrays(
      this.#db,
      `SELECT ${SELECT_LIST}
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

function toStoredChunk(columns: readonly unknown[]): StoredChunk {
  const chunk: Record<string, unknown> = {};
  for (let at = 0; at < FIELDS.length; at++) chunk[FIELDS[at] as string] = columns[at];
  // STRICT tables guarantee the types.
  return chunk as unknown as StoredChunk;
}
