import type { DatabaseSync } from "node:sqlite";
import { all } from "../store/mod.ts";

/** Text of a chunk as the index normalizes it, in lower case. */
export interface ChunkText {
  /** Title and headings. */
  readonly headings: string;
  readonly body: string;
}

/**
 * Reads the texts of chunks, each once. Use it for one search: what it has read stays in memory, and includes
 * chunks that were deleted since.
 */
export class ChunkTexts {
  readonly #db: DatabaseSync;
  readonly #texts = new Map<number, ChunkText>();

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** Returns all texts read so far, including those of some chunks. */
  read(chunks: readonly number[]): ReadonlyMap<number, ChunkText> {
    const unread = chunks.filter((id) => !this.#texts.has(id));
    if (unread.length === 0) return this.#texts;
    const rows = all<{ id: number; headings: string; body: string }>(
      this.#db,
      `SELECT s.id, s.title || char(10) || s.heading AS headings, s.body
         FROM json_each(?) j CROSS JOIN chunk_search s ON s.id = j.value`,
      JSON.stringify(unread),
    );
    for (const { id, headings, body } of rows) {
      this.#texts.set(id, { headings: headings.toLowerCase(), body: body.toLowerCase() });
    }
    return this.#texts;
  }
}
