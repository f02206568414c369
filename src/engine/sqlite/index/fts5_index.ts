import type { DatabaseSync } from "node:sqlite";
import { first } from "../store/read_only.ts";
import { AVERAGES_ROWID, decodeStructure, segmentChanges, STRUCTURE_ROWID } from "./fts5_format.ts";
import { Fts5PageIndex } from "./fts5_page_index.ts";
import { Fts5VocabIndex } from "./fts5vocab_index.ts";
import type { IndexMemory } from "./index_memory.ts";
import type { Checkpoint, LocatedTerm, TermIndex } from "./term_index.ts";

/** Full-text indexes of the store: of the words of chunks, and of derived terms. */
export type Fts5Table = "chunks_fts" | "derived_fts";

/** Changes since an index was refreshed before: none, only segments that were added, or any. */
export type IndexChange = "none" | "added" | "any";

/**
 * An inverted index of FTS5. Reads FTS5's pages if their format is known, else `fts5vocab`: an index
 * written by a newer SQLite is slower to search, but complete.
 */
export class Fts5Index implements TermIndex {
  readonly #db: DatabaseSync;
  readonly #table: Fts5Table;
  readonly #memory: IndexMemory;
  #current: TermIndex;
  /** Records that change with the index. */
  #state: string | undefined;
  #structure: Uint8Array | undefined;
  #vocab: Fts5VocabIndex | undefined;

  /** @param options.memory Memory that posting lists are read into. */
  constructor(
    db: DatabaseSync,
    { memory, table = "chunks_fts" }: { readonly memory: IndexMemory; readonly table?: Fts5Table },
  ) {
    this.#db = db;
    this.#table = table;
    this.#memory = memory;
    this.#current = new Fts5PageIndex(db, [], { memory, table });
  }

  /**
   * Reads the current structure of the index. Call it after each write, in a read transaction.
   *
   * @param options.isOnlyAdded Whether no row was removed from the index since the last call. If so, pages in memory
   * remain valid unless their segments were merged. @default {false}
   * @param options.revision Number that grows with each change, for {@linkcode hasAdded}. @default {0}
   */
  refresh(
    { isOnlyAdded = false, revision = 0 }: { readonly isOnlyAdded?: boolean; readonly revision?: number } =
      {},
  ): IndexChange {
    const row = first<{ record: Uint8Array; averages: Uint8Array; version: number }>(
      this.#db,
      `SELECT block AS record, (SELECT block FROM ${this.#table}_data WHERE id = ?) AS averages,
              (SELECT v FROM ${this.#table}_config WHERE k = 'version') AS version
         FROM ${this.#table}_data WHERE id = ?`,
      AVERAGES_ROWID,
      STRUCTURE_ROWID,
    );
    // Each insertion increases the number of writes in the structure, and a deletion alone decreases the number of rows in
    // the averages: equal records prove equal pages.
    const state = row && `${row.version} ${row.record.toHex()} ${row.averages.toHex()}`;
    if (state !== undefined && state === this.#state) return "none";
    const before = this.#structure;
    // After a failure, the next call reads the index from the start.
    this.#state = this.#structure = undefined;
    const changes = isOnlyAdded && before && row && segmentChanges(before, row.record);
    let change: IndexChange = "any";
    if (changes && this.#current instanceof Fts5PageIndex) {
      this.#current.add(changes.added, { kept: changes.kept, revision });
      this.#current.readLast(changes.added.length);
      change = "added";
    } else {
      const segments = row ? decodeStructure(row.record, row.version) : [];
      this.#current = segments
        ? new Fts5PageIndex(this.#db, segments, { memory: this.#memory, table: this.#table, revision })
        : this.#vocabIndex();
    }
    this.#state = state;
    this.#structure = row?.record;
    return change;
  }

  /** Whether rows with a term may have been added after a revision. Only since the last change of another kind. */
  hasAdded(term: string, revision: number): boolean {
    const index = this.#current;
    return !(index instanceof Fts5PageIndex) || index.hasAdded(term, revision);
  }

  /** Reads what is needed to find terms, if it is read at once. */
  loadDirectory(): void {
    if (this.#current instanceof Fts5PageIndex) this.#current.loadDirectory();
  }

  locate(terms: readonly string[]): LocatedTerm[] {
    return this.#current.locate(terms);
  }

  read(located: LocatedTerm, checkpoint?: Checkpoint): void {
    this.#current.read(located, checkpoint);
  }

  readPositions(located: LocatedTerm, checkpoint?: Checkpoint): boolean {
    return this.#current.readPositions(located, checkpoint);
  }

  visitTerms(prefixes: readonly string[], visit: (term: string, prefix: number) => unknown): void {
    this.#current.visitTerms(prefixes, visit);
  }

  /** Whether {@linkcode existing} is fast for terms of which few exist. */
  get hasFilters(): boolean {
    return this.#current instanceof Fts5PageIndex && this.#current.hasFilters;
  }

  /**
   * Returns those of the terms that the index contains. For a hundred terms, of which few exist, FTS5 is faster than pages
   * without filters.
   */
  existing(terms: readonly string[]): string[] {
    const index = this.#current;
    return index instanceof Fts5PageIndex && this.hasFilters
      ? index.existing(terms)
      : this.#vocabIndex().existing(terms);
  }

  #vocabIndex(): Fts5VocabIndex {
    return this.#vocab ??= new Fts5VocabIndex(this.#db, { memory: this.#memory, table: this.#table });
  }
}
