/*
 * Threat: a database of another program, which may run at the same time, and which anybody may have made. SQLite changes
 * files even for reading (the write-ahead log is merged), and a schema can contain SQL that runs on a SELECT. So a copy is
 * opened, whose schema is not trusted.
 */
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ImportError } from "./import_items.ts";

/** First bytes of a SQLite database (https://www.sqlite.org/fileformat2.html). */
const MAGIC = "SQLite format 3\0";

/** Maximum size of a value in bytes. A column of a few bytes can generate a text that no string of V8 can hold. */
const MAX_VALUE_BYTES = 64 * 2 ** 20;

/** A constant, since Deno's types lack `limits`. */
const OPTIONS = {
  enableForeignKeyConstraints: false,
  allowExtension: false,
  limits: { length: MAX_VALUE_BYTES },
};

/** Whether a file starts like a SQLite database. */
export function isSqlite(head: Uint8Array): boolean {
  return new TextDecoder("latin1").decode(head.subarray(0, MAGIC.length)) === MAGIC;
}

/** A copy of a SQLite database, for reading. */
export class SqliteCopy implements AsyncDisposable {
  readonly #db: DatabaseSync;
  readonly #directory: string;

  private constructor(db: DatabaseSync, directory: string) {
    this.#db = db;
    this.#directory = directory;
  }

  /**
   * Copies a database with its write-ahead log.
   *
   * @throws {ImportError} If it is not a database, or damaged.
   */
  static async open(path: string): Promise<SqliteCopy> {
    const directory = await Deno.makeTempDir({ prefix: "kb-import-" });
    try {
      const copy = join(directory, "copy.db");
      await Deno.copyFile(path, copy);
      await Deno.copyFile(`${path}-wal`, `${copy}-wal`).catch((error) => {
        if (!(error instanceof Deno.errors.NotFound)) throw error;
      });
      const db = new DatabaseSync(copy, OPTIONS);
      const sqlite = new SqliteCopy(db, directory);
      try {
        db.exec("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON");
        dropViews(db);
        db.exec("PRAGMA query_only = ON");
        sqlite.tables();
      } catch (cause) {
        db.close();
        throw new ImportError(`${JSON.stringify(basename(path))} is not a SQLite database, or damaged`, {
          cause,
        });
      }
      return sqlite;
    } catch (error) {
      await Deno.remove(directory, { recursive: true });
      throw error;
    }
  }

  /** Returns the names of the columns of each table. */
  tables(): Map<string, ReadonlySet<string>> {
    const rows = this.#db.prepare(
      `SELECT t.name AS "table", c.name AS "column" FROM sqlite_schema t, pragma_table_info(t.name) c
        WHERE t.type = 'table' AND t.sql NOT LIKE 'CREATE VIRTUAL%'`,
    ).all() as { table: string; column: string }[];
    const tables = Map.groupBy(rows, ({ table }) => table);
    return new Map(
      [...tables].map(([name, columns]) => [name, new Set(columns.map(({ column }) => column))]),
    );
  }

  /**
   * Yields the rows of a query, one at a time.
   *
   * @throws {ImportError} If the database is damaged, or a value too large, after the rows before.
   */
  *rows(sql: string, ...params: (string | number)[]): Generator<Record<string, unknown>> {
    try {
      const expected = this.#db.prepare(`SELECT count(*) AS n FROM (${sql})`).get(...params)?.["n"];
      let count = 0;
      for (const row of this.#db.prepare(sql).iterate(...params)) {
        yield row;
        count++;
      }
      // Deno 2.9.6 ends the iteration at an error of SQLite without throwing it.
      if (count !== expected) throw new Error(`only ${count} of ${expected} rows can be read`);
    } catch (cause) {
      throw new ImportError(
        `The database is damaged, or of an unknown version: ${(cause as Error).message}`,
        { cause },
      );
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#db.close();
    await Deno.remove(this.#directory, { recursive: true });
  }
}

/** A view in place of a table can run without end. */
function dropViews(db: DatabaseSync): void {
  for (const { name } of db.prepare("SELECT name FROM sqlite_schema WHERE type = 'view'").all()) {
    db.exec(`DROP VIEW "${String(name).replaceAll('"', '""')}"`);
  }
}
