import type { DatabaseSync } from "node:sqlite";
import { all } from "../store/read_only.ts";
import { ChunkCache, type SizedValue } from "./chunk_cache.ts";
import { ChunkText, type ChunkTextRow } from "./chunk_text.ts";

/** Maximum length of all texts in memory, in UTF-16 code units: the chunks of a small store, and frequent results. */
const MAX_CACHED_CHARS = 2 * 2 ** 20;

/** Reads the texts of chunks. Those that searches use often stay in memory until the database changes. */
export class ChunkTexts {
  readonly #db: DatabaseSync;
  readonly #cache = new ChunkCache<ChunkText>(MAX_CACHED_CHARS);

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** Removes the texts of another version of the database. Call it first in every read transaction. */
  refresh(version: string): void {
    this.#cache.refresh(version);
  }

  /** Returns the texts of those chunks that exist. */
  read(chunks: readonly number[]): Map<number, ChunkText> {
    return this.#cache.read(chunks, (missing) => this.#load(missing));
  }

  #load(missing: readonly number[]): SizedValue<ChunkText>[] {
    // The view `chunk_search` would compute all of its columns for each row.
    const rows = all<ChunkTextRow & { readonly id: number }>(
      this.#db,
      `SELECT c.id, c.text, c.search_text, c.heading_path, c.search_heading,
              coalesce(x.title, d.search_title, d.title) AS search_title
         FROM json_each(?) j CROSS JOIN chunks c ON c.id = j.value
         LEFT JOIN contents x ON x.id = c.document_id LEFT JOIN documents d ON d.id = c.document_id`,
      JSON.stringify(missing),
    );
    return rows.map((row) => {
      const text = new ChunkText(row);
      return [row.id, text, text.size] as const;
    });
  }
}
