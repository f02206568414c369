import type { DatabaseSync } from "node:sqlite";
import type { Passages } from "../../search/mod.ts";
import { collapseSpace } from "../../../text/mod.ts";
import type { ChunkMetadata } from "../index/mod.ts";
import { all, DOCUMENT_OF_CHUNK, RECENCY } from "../store/mod.ts";
import type { ChunkTexts } from "./chunk_texts.ts";

/** Options of {@linkcode PassageReader}. */
export interface PassageReaderOptions {
  readonly db: DatabaseSync;
  /** Metadata of the chunks that exist in the current transaction. */
  readonly chunks: ChunkMetadata;
  /** Texts, of which the ranking may have read some. */
  readonly texts: ChunkTexts;
}

/** Reads passages to compare, each once. Use it within one transaction. */
export class PassageReader implements Passages {
  readonly #options: PassageReaderOptions;
  readonly #texts = new Map<number, string>();

  constructor(options: PassageReaderOptions) {
    this.#options = options;
  }

  /** Returns the number of words of a passage, without title and headings. */
  wordCountOf(chunk: number): number {
    return this.#options.chunks.bodyLengthOf(chunk);
  }

  /** Returns the texts of passages, without title and headings. */
  textsOf(chunks: readonly number[]): ReadonlyMap<number, string> {
    const existing = chunks.filter((id) => this.#options.chunks.documentOf(id) !== 0);
    const texts = this.#options.texts.read(existing);
    for (const id of existing) {
      const text = texts.get(id)?.body;
      if (text !== undefined && !this.#texts.has(id)) this.#texts.set(id, collapseSpace(text));
    }
    return this.#texts;
  }

  /** Reads when the documents of passages last changed. */
  changeTimesOf(chunks: readonly number[]): ReadonlyMap<number, string> {
    const rows = all<{ id: number; changedAt: string }>(
      this.#options.db,
      `SELECT c.id, ${RECENCY} AS changedAt
         FROM json_each(?) j CROSS JOIN chunks c ON c.id = j.value
         CROSS JOIN documents d ON d.id = ${DOCUMENT_OF_CHUNK}`,
      JSON.stringify(chunks),
    );
    return new Map(rows.map(({ id, changedAt }) => [id, changedAt]));
  }
}
