import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import type { SearchRequest } from "../../contract/mod.ts";
import { all, count } from "../store/sql.ts";
import { timeRange } from "./time_range.ts";

/** Documents (and then chunks, four times as many) up to which a filter is turned into a list before ranking. */
const FEW = 2000;

interface Condition {
  /** Tests a row of `documents AS d`. */
  readonly sql: string;
  readonly params: readonly SQLInputValue[];
  /** The documents that it lets through, by an index. */
  readonly source: string;
}

const RECENCY = "coalesce(d.updated_at, d.created_at)";

/** Which documents a search may answer with. */
export class Filter {
  readonly #db: DatabaseSync;
  readonly #conditions: readonly Condition[];

  private constructor(db: DatabaseSync, conditions: readonly Condition[]) {
    this.#db = db;
    this.#conditions = conditions;
  }

  /**
   * The filter of a request.
   *
   * @returns Undefined when it has none; `"nothing"` when no document can pass (a tag that does not exist).
   */
  static of(db: DatabaseSync, request: SearchRequest): Filter | "nothing" | undefined {
    const conditions: Condition[] = [];
    const names = [...new Set(request.tags ?? [])];
    const tags = all<{ id: number }>(
      db,
      "SELECT id FROM tags WHERE name IN (SELECT value FROM json_each(?))",
      JSON.stringify(names),
    );
    if (tags.length < names.length) return "nothing";
    for (const { id } of tags) {
      conditions.push({
        sql: "EXISTS (SELECT 1 FROM document_tags x WHERE x.document_id = d.id AND x.tag_id = ?)",
        params: [id],
        source: "SELECT document_id AS id FROM document_tags WHERE tag_id = ?",
      });
    }
    if (request.doc_type !== undefined) {
      conditions.push({
        sql: "d.doc_type = ?",
        params: [request.doc_type],
        source: "SELECT d.id FROM documents d WHERE d.doc_type = ?",
      });
    }
    const range = timeRange(request.since, request.until);
    if (range) {
      const sql = `${RECENCY} BETWEEN ? AND ?`;
      conditions.push({ sql, params: range, source: `SELECT d.id FROM documents d WHERE ${sql}` });
    }
    return conditions.length > 0 ? new Filter(db, conditions) : undefined;
  }

  /** All chunks that pass, when one of the conditions lets few documents through; undefined: there are many. */
  few(): ReadonlySet<number> | undefined {
    let narrowest: Condition | undefined;
    let fewest = FEW + 1;
    for (const condition of this.#conditions) {
      const sql = `SELECT count(*) AS n FROM (${condition.source} LIMIT ${FEW + 1})`;
      const n = count(this.#db, sql, ...condition.params);
      if (n < fewest) [narrowest, fewest] = [condition, n];
    }
    if (!narrowest) return undefined;
    // CROSS JOIN keeps the order of the tables: from the few documents to their chunks.
    const chunks = all<{ id: number }>(
      this.#db,
      `SELECT c.id FROM (${narrowest.source}) f
         CROSS JOIN documents d ON d.id = f.id
         CROSS JOIN chunks c ON c.document_id = d.id
        WHERE ${this.#where()} LIMIT ${FEW * 4 + 1}`,
      ...narrowest.params,
      ...this.#params(),
    );
    return chunks.length > FEW * 4 ? undefined : new Set(chunks.map(({ id }) => id));
  }

  /** Those of the chunks that pass. */
  passing(chunks: readonly number[]): ReadonlySet<number> {
    const rows = all<{ id: number }>(
      this.#db,
      `SELECT c.id FROM json_each(?) j
         CROSS JOIN chunks c ON c.id = j.value
         CROSS JOIN documents d ON d.id = c.document_id
        WHERE ${this.#where()}`,
      JSON.stringify(chunks),
      ...this.#params(),
    );
    return new Set(rows.map(({ id }) => id));
  }

  #where(): string {
    return this.#conditions.map(({ sql }) => sql).join(" AND ");
  }

  #params(): SQLInputValue[] {
    return this.#conditions.flatMap(({ params }) => params);
  }
}
