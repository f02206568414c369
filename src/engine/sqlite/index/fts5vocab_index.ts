import type { DatabaseSync } from "node:sqlite";
import { all, first } from "../store/read_only.ts";
import { COLUMN_WEIGHTS } from "./column_weights.ts";
import type { IndexMemory } from "./index_memory.ts";
import type { LocatedTerm, TermIndex } from "./term_index.ts";

const decoder = new TextDecoder();

/**
 * Reads the full-text index through SQLite's documented `fts5vocab` module. About ten times slower than
 * {@linkcode Fts5PageIndex}, but independent of the format of the pages.
 */
export class Fts5VocabIndex implements TermIndex {
  readonly #db: DatabaseSync;
  readonly #memory: IndexMemory;
  readonly #table: string;
  readonly #columns: readonly string[];

  constructor(
    db: DatabaseSync,
    { memory, table = "chunks_fts" }: { readonly memory: IndexMemory; readonly table?: string },
  ) {
    this.#db = db;
    this.#memory = memory;
    this.#table = table;
    createVocabTables(db, table);
    this.#columns = all<{ name: string }>(db, `SELECT name FROM pragma_table_info('${table}')`)
      .map(({ name }) => name);
  }

  locate(terms: readonly string[]): LocatedTerm[] {
    return terms.map((term) => ({ term, bytes: 0, isAbsent: false }));
  }

  read({ term }: LocatedTerm): void {
    const weights = Object.fromEntries(this.#columns.map((name, index) => [name, COLUMN_WEIGHTS[index]]));
    const row = this.#withTables(() =>
      first<{ rows: string }>(
        this.#db,
        `SELECT json_group_array(json_array(doc, weight)) AS rows FROM (
         SELECT doc, sum(? ->> col) AS weight FROM temp.${this.#table}_occurrences WHERE term = ? GROUP BY doc)`,
        JSON.stringify(weights),
        term,
      )
    );
    const { kernel } = this.#memory;
    for (const [rowid, weight] of JSON.parse(row?.rows ?? "[]") as [number, number][]) {
      kernel.addPosting(BigInt(rowid), weight);
    }
  }

  readPositions(): boolean {
    return false;
  }

  visitTerms(prefixes: readonly string[], visit: (term: string, prefix: number) => unknown): void {
    for (const [index, prefix] of prefixes.entries()) {
      const rows = this.#withTables(() =>
        all<{ term: Uint8Array }>(
          this.#db,
          `SELECT CAST(term AS BLOB) AS term FROM temp.${this.#table}_terms
          WHERE term >= ?1 AND substr(term, 1, length(?1)) = ?1`,
          prefix,
        )
      );
      for (const { term } of rows) {
        if (visit(decoder.decode(term), index) === false) break;
      }
    }
  }

  /** Returns those of the terms that the index contains. */
  existing(terms: readonly string[]): string[] {
    const rows = this.#withTables(() =>
      all<{ term: string }>(
        this.#db,
        `SELECT value AS term FROM json_each(?)
        WHERE EXISTS (SELECT 1 FROM temp.${this.#table}_occurrences WHERE term = value)`,
        JSON.stringify(terms),
      )
    );
    return rows.map(({ term }) => term);
  }

  /**
   * Runs a query of the virtual tables, and creates them again if they are missing: when memory is short, SQLite rolls
   * back the transaction of a read, in which they may have been created.
   */
  #withTables<T>(query: () => T): T {
    try {
      return query();
    } catch (error) {
      if (!(error instanceof Error && error.message.includes("no such table: temp."))) throw error;
      createVocabTables(this.#db, this.#table);
      return query();
    }
  }
}

/**
 * Creates the virtual tables in the connection's temporary database. `query_only` forbids even this, so it is
 * switched off for the statement; a read-only connection still cannot change the store.
 */
function createVocabTables(db: DatabaseSync, table: string): void {
  const { on } = first<{ on: number }>(db, 'SELECT query_only AS "on" FROM pragma_query_only') ?? { on: 0 };
  try {
    db.exec(`
      PRAGMA query_only = OFF;
      CREATE VIRTUAL TABLE IF NOT EXISTS temp.${table}_terms USING fts5vocab (main, ${table}, row);
      CREATE VIRTUAL TABLE IF NOT EXISTS temp.${table}_occurrences USING fts5vocab (main, ${table}, instance);
    `);
  } finally {
    db.exec(`PRAGMA query_only = ${on}`);
  }
}
