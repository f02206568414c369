import type { DatabaseSync } from "node:sqlite";
import type { Passage, Passages } from "../../search/mod.ts";
import type { ChunkMetadata } from "../index/mod.ts";
import { all, RECENCY } from "../store/mod.ts";

/** Reads passages to compare, each once. Use it within one transaction. */
export class PassageReader implements Passages {
  readonly #db: DatabaseSync;
  readonly #chunks: ChunkMetadata;
  readonly #passages = new Map<number, Passage>();

  constructor(db: DatabaseSync, chunks: ChunkMetadata) {
    this.#db = db;
    this.#chunks = chunks;
  }

  /** Returns the number of words of a passage, without title and headings. */
  wordCountOf(chunk: number): number {
    return this.#chunks.bodyLengthOf(chunk);
  }

  /** Reads passages. Those deleted after ranking are missing. */
  read(chunks: readonly number[]): ReadonlyMap<number, Passage> {
    const unread = chunks.filter((id) => !this.#passages.has(id));
    if (unread.length > 0) {
      const rows = all<{ id: number; text: string; changedAt: string }>(
        this.#db,
        `SELECT c.id, coalesce(c.search_text, c.text) AS text, ${RECENCY} AS changedAt
           FROM json_each(?) j CROSS JOIN chunks c ON c.id = j.value CROSS JOIN documents d ON d.id = c.document_id`,
        JSON.stringify(unread),
      );
      for (const { id, text, changedAt } of rows) {
        this.#passages.set(id, { text: text.toLowerCase().replace(/\s+/g, " ").trim(), changedAt });
      }
    }
    return this.#passages;
  }
}
