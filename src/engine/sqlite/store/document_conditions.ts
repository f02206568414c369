import type { DatabaseSync } from "node:sqlite";
import { DOCUMENT_COLUMNS, type DocumentRow } from "./documents.ts";
import { all, count, first } from "./sql.ts";

/** Sort key of listings (decision D4). Must equal the expression in the indexes by recency. */
export const RECENCY = "coalesce(d.updated_at, d.created_at)";

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

/** SQL conditions of a document listing, with their parameters. The table `documents` has the alias `d`. */
export class DocumentConditions {
  readonly #from: string;
  readonly #conditions: string[] = [];
  readonly #params: (string | number)[] = [];

  constructor(from = "documents d") {
    this.#from = from;
  }

  /** Whether there are no conditions. */
  get isEmpty(): boolean {
    return this.#conditions.length === 0;
  }

  /** Adds a condition. */
  add(condition: string, ...params: (string | number)[]): void {
    this.#conditions.push(condition);
    this.#params.push(...params);
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
    return count(db, `SELECT count(*) AS n FROM ${this.#from} ${this.#where()}`, ...this.#params);
  }

  /** Returns matching documents, most recent first. */
  select(db: DatabaseSync, limit: number): DocumentRow[] {
    return all(
      db,
      `SELECT ${DOCUMENT_COLUMNS} FROM ${this.#from} ${this.#where()}
        ORDER BY ${RECENCY} DESC, d.id DESC LIMIT ?`,
      ...this.#params,
      limit,
    );
  }

  #where(): string {
    return this.isEmpty ? "" : `WHERE ${this.#conditions.join(" AND ")}`;
  }
}
