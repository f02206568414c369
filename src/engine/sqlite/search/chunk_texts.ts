import type { DatabaseSync } from "node:sqlite";
import { allArrays, type ChunkRow, type StoredText, textOf } from "../store/read_only.ts";
import { ChunkCache, type SizedValue } from "./chunk_cache.ts";
import { ChunkText, type ChunkTextRow } from "./chunk_text.ts";

/** Maximum length of all texts in memory, in UTF-16 code units: the chunks of a small store, and frequent results. */
const MAX_CACHED_CHARS = 2 * 2 ** 20;

/** Maximum number of texts that a statement reads to compare them with a pattern. */
const MAX_TEXTS_AT_ONCE = 128;

/** A chunk as it is stored, with the title of its document. */
export interface StoredChunk extends Readonly<ChunkRow>, ChunkTextRow {}

/** Columns of a {@linkcode StoredChunk}. STRICT tables guarantee the types. */
type StoredColumns = readonly [
  id: number,
  position: number,
  text: StoredText,
  searchText: string | null,
  headingPath: string,
  searchHeading: string,
  pageStart: number | null,
  pageEnd: number | null,
  lineStart: number | null,
  lineEnd: number | null,
  charStart: number | null,
  charEnd: number | null,
  repeatedChars: number,
  searchTitle: string,
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
      ) as [id: number, text: StoredText][];
      for (const [id, text] of rows) if (pattern.test(textOf(this.#db, text))) found.add(id);
    }
    return found;
  }

  #load(missing: readonly number[]): SizedValue<ChunkText<StoredChunk>>[] {
    // The view `chunk_search` would compute all of its columns.
    const rows = allArrays(
      this.#db,
      `SELECT c.id, c.position, c.text, c.search_text, c.heading_path, c.search_heading, c.page_start, c.page_end,
              c.line_start, c.line_end, c.char_start, c.char_end, c.repeated_chars,
              coalesce(x.title, d.search_title, d.title)
         FROM json_each(?) j CROSS JOIN chunks c ON c.id = j.value
         LEFT JOIN contents x ON x.id = c.document_id LEFT JOIN documents d ON d.id = c.document_id`,
      JSON.stringify(missing),
    ) as unknown as StoredColumns[];
    return rows.map((columns) => {
      const text = new ChunkText(toStoredChunk(columns, textOf(this.#db, columns[2])));
      return [text.row.chunk_id, text, text.size] as const;
    });
  }
}

function toStoredChunk(columns: StoredColumns, text: string): StoredChunk {
  // Field by field: objects that are filled by name are slow to read.
  return {
    chunk_id: columns[0],
    index: columns[1],
    text,
    search_text: columns[3],
    heading_path: columns[4],
    search_heading: columns[5],
    page_start: columns[6],
    page_end: columns[7],
    line_start: columns[8],
    line_end: columns[9],
    char_start: columns[10],
    char_end: columns[11],
    repeated_chars: columns[12],
    search_title: columns[13],
  };
}
