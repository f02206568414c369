import type { DatabaseSync } from "node:sqlite";
import { first } from "../store/mod.ts";
import { decodeStructure, STRUCTURE_ROWID } from "./fts5_format.ts";
import { Fts5PageIndex } from "./fts5_page_index.ts";
import { Fts5VocabIndex } from "./fts5vocab_index.ts";
import type { IndexMemory } from "./index_memory.ts";
import type { Checkpoint, LocatedTerm, TermIndex } from "./term_index.ts";

/** Full-text indexes of the store: of the words of chunks, and of derived terms. */
export type Fts5Table = "chunks_fts" | "derived_fts";

/**
 * An inverted index of FTS5. Reads FTS5's pages if their format is known, else `fts5vocab`: an index
 * written by a newer SQLite is slower to search, but complete.
 */
export class Fts5Index implements TermIndex {
  readonly #db: DatabaseSync;
  readonly #table: Fts5Table;
  readonly #memory: IndexMemory;
  readonly #maxDirectory: number | undefined;
  #current: TermIndex;
  #vocab: Fts5VocabIndex | undefined;

  /**
   * @param options.memory Memory that posting lists are read into.
   * @param options.maxDirectory Maximum number of entries of the directory of pages in memory. @default {4096}
   */
  constructor(
    db: DatabaseSync,
    { memory, table = "chunks_fts", maxDirectory }: {
      readonly memory: IndexMemory;
      readonly table?: Fts5Table;
      readonly maxDirectory?: number;
    },
  ) {
    this.#maxDirectory = maxDirectory;
    this.#db = db;
    this.#table = table;
    this.#memory = memory;
    this.#current = new Fts5PageIndex(db, [], { memory, table, maxDirectory });
  }

  /** Reads the current structure of the index. Call it after each write, in a read transaction. */
  refresh(): void {
    const row = first<{ record: Uint8Array; version: number }>(
      this.#db,
      `SELECT block AS record, (SELECT v FROM ${this.#table}_config WHERE k = 'version') AS version
         FROM ${this.#table}_data WHERE id = ?`,
      STRUCTURE_ROWID,
    );
    const segments = row ? decodeStructure(row.record, row.version) : [];
    this.#current = segments
      ? new Fts5PageIndex(this.#db, segments, {
        memory: this.#memory,
        table: this.#table,
        maxDirectory: this.#maxDirectory,
      })
      : this.#vocabIndex();
  }

  locate(terms: readonly string[]): LocatedTerm[] {
    return this.#current.locate(terms);
  }

  read(located: LocatedTerm, checkpoint?: Checkpoint): void {
    this.#current.read(located, checkpoint);
  }

  visitTerms(prefixes: readonly string[], visit: (term: Uint8Array, prefix: number) => unknown): void {
    this.#current.visitTerms(prefixes, visit);
  }

  /**
   * Returns those of the terms that the index contains. For a hundred terms, of which few exist, FTS5 is faster
   * than reading its pages.
   */
  existing(terms: readonly string[]): string[] {
    return this.#vocabIndex().existing(terms);
  }

  #vocabIndex(): Fts5VocabIndex {
    return this.#vocab ??= new Fts5VocabIndex(this.#db, { memory: this.#memory, table: this.#table });
  }
}
