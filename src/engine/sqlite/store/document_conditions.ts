import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { DOCUMENT_COLUMNS, type DocumentRow } from "./document_rows.ts";
import { all, count, first } from "./sql.ts";

/** Sort key of listings (decision D4). Must equal the expression in the indexes by recency. */
export const RECENCY = "coalesce(d.updated_at, d.created_at)";

/** Minimum number of matches at which it is faster to scan all documents in order than to sort those of the tag. */
export const SCAN_THRESHOLD = 1000;

/** A tag with its number of documents. */
export interface CountedTag {
  id: number;
  documents: number;
}

/** Returns a tag by name. */
export function tagNamed(db: DatabaseSync, name: string): CountedTag | undefined {
  return first(
    db,
    `SELECT id, (SELECT count(*) FROM document_tags WHERE tag_id = tags.id) AS documents
       FROM tags WHERE name = ?`,
    name,
  );
}

/** Order of a listing: by an SQL expression, then by id in the same direction. */
export interface DocumentOrder {
  readonly key: string;
  readonly isDescending: boolean;
}

/** Most recently modified or created first. */
export const MOST_RECENT_FIRST: DocumentOrder = { key: RECENCY, isDescending: true };

/** A row of a listing, with its value of the sort key. */
export interface ListedRow extends DocumentRow {
  sort_key: string | number;
}

/** SQL conditions of a document listing, with their parameters. The table `documents` has the alias `d`. */
export class DocumentConditions {
  readonly #from: string;
  readonly #conditions: string[] = [];
  readonly #params: SQLInputValue[] = [];

  constructor(from = "documents d") {
    this.#from = from;
  }

  /** Whether there are no conditions. */
  get isEmpty(): boolean {
    return this.#conditions.length === 0;
  }

  /** The FROM clause and the WHERE clause, if any. */
  get sql(): string {
    return `FROM ${this.#from}${this.isEmpty ? "" : ` WHERE ${this.#conditions.join(" AND ")}`}`;
  }

  /** Parameters of {@linkcode sql}. */
  get params(): readonly SQLInputValue[] {
    return this.#params;
  }

  /** Adds a condition. */
  add(condition: string, ...params: readonly SQLInputValue[]): void {
    this.#conditions.push(condition);
    this.#params.push(...params);
  }

  /** Adds the condition that a document follows a row, by its sort key and id. */
  addAfter(key: string | number, id: number, order: DocumentOrder): void {
    const after = order.isDescending ? "<" : ">";
    // The first comparison lets SQLite seek in an index.
    this.add(`${order.key} ${after}= ? AND (${order.key} ${after} ? OR d.id ${after} ?)`, key, key, id);
  }

  /**
   * Returns a copy that also requires a tag.
   *
   * @param tagFirst Whether to scan the documents of the tag instead of all documents in order. SQLite cannot
   * decide, since it does not know how common a tag is.
   */
  withTag(tag: CountedTag | undefined, tagFirst: boolean): DocumentConditions {
    const conditions = new DocumentConditions(
      tag && tagFirst ? "document_tags dt CROSS JOIN documents d ON d.id = dt.document_id" : "documents d",
    );
    if (tag) {
      conditions.add(
        tagFirst
          ? "dt.tag_id = ?"
          : "(SELECT 1 FROM document_tags WHERE document_id = d.id AND tag_id = ?) IS NOT NULL",
        tag.id,
      );
    }
    conditions.#conditions.push(...this.#conditions);
    conditions.#params.push(...this.#params);
    return conditions;
  }

  /** Counts the matching documents. */
  count(db: DatabaseSync): number {
    return count(db, `SELECT count(*) AS n ${this.sql}`, ...this.#params);
  }

  /** Returns matching documents in order. */
  select(db: DatabaseSync, { key, isDescending }: DocumentOrder, limit: number): ListedRow[] {
    const direction = isDescending ? "DESC" : "ASC";
    return all(
      db,
      `SELECT ${DOCUMENT_COLUMNS}, ${key} AS sort_key ${this.sql}
        ORDER BY ${key} ${direction}, d.id ${direction} LIMIT ?`,
      ...this.#params,
      limit,
    );
  }
}
