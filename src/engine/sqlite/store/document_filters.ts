import type { DatabaseSync } from "node:sqlite";
import { DOCUMENT_COLUMNS, type DocumentRow } from "./documents.ts";
import { all, count, first } from "./sql.ts";

/** Exactly the expression of the indexes by recency (decision D4). */
export const RECENCY = "coalesce(d.updated_at, d.created_at)";

/** A tag, and how many documents have it. */
export interface CountedTag {
  id: number;
  documents: number;
}

/** The tag of this name, if any document has it. */
export function tagNamed(db: DatabaseSync, name: string): CountedTag | undefined {
  return first(
    db,
    `SELECT id, (SELECT count(*) FROM document_tags WHERE tag_id = tags.id) AS documents
       FROM tags WHERE name = ?`,
    name,
  );
}

/** The conditions of a listing of documents (`d`), and their values. Each method answers; only `add` changes anything. */
export class DocumentFilters {
  readonly #from: string;
  readonly #conditions: string[] = [];
  readonly #params: (string | number)[] = [];

  constructor(from = "documents d") {
    this.#from = from;
  }

  get isEmpty(): boolean {
    return this.#conditions.length === 0;
  }

  add(condition: string, ...params: (string | number)[]): void {
    this.#conditions.push(condition);
    this.#params.push(...params);
  }

  /**
   * The same, for documents with a tag only: by going through the tag's documents, or through all in their order. SQLite
   * is not left the choice, since it does not know how common a tag is.
   */
  plusTag(tag: CountedTag | undefined, tagFirst: boolean): DocumentFilters {
    const filters = new DocumentFilters(
      tag && tagFirst ? "document_tags dt CROSS JOIN documents d ON d.id = dt.document_id" : "documents d",
    );
    if (tag) {
      filters.add(
        tagFirst
          ? "dt.tag_id = ?"
          : "(SELECT 1 FROM document_tags WHERE document_id = d.id AND tag_id = ?) IS NOT NULL",
        tag.id,
      );
    }
    filters.#conditions.push(...this.#conditions);
    filters.#params.push(...this.#params);
    return filters;
  }

  count(db: DatabaseSync): number {
    return count(db, `SELECT count(*) AS n FROM ${this.#from} ${this.#where()}`, ...this.#params);
  }

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
