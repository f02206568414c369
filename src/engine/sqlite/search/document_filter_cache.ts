import type { DatabaseSync } from "node:sqlite";
import { addId, type Bitset, bitset, hasId } from "../../../data_structures/mod.ts";
import type { SearchFilters } from "../../search/mod.ts";
import { type Condition, filterConditions, first } from "../store/read_only.ts";

/** Tests whether a document, by its id, passes the filters of a search. */
export type DocumentFilter = (document: number) => boolean;

/** Maximum number of cached sets. */
const MAX_CACHED = 32;
/** Maximum size of a cached set, in bytes. */
const MAX_CACHED_BYTES = 2 ** 20;

/** Evaluates document filters, and caches the matching documents until the database changes. */
export class DocumentFilterCache {
  readonly #db: DatabaseSync;
  readonly #cache = new Map<string, Bitset>();
  #version = "";

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /**
   * Returns the test for some filters, or undefined if there are none.
   *
   * @param version Version of the database.
   */
  get(filters: SearchFilters, version: string): DocumentFilter | undefined {
    const conditions = conditionsFor(filters);
    if (conditions.length === 0) return undefined;
    if (this.#version !== version) this.#cache.clear();
    this.#version = version;
    const key = JSON.stringify(conditions);
    const documents = this.#cache.get(key) ?? this.#add(key, this.#read(conditions));
    return (document) => hasId(documents, document);
  }

  #add(key: string, documents: Bitset): Bitset {
    if (documents.length > MAX_CACHED_BYTES) return documents;
    if (this.#cache.size >= MAX_CACHED) this.#cache.clear();
    this.#cache.set(key, documents);
    return documents;
  }

  #read(conditions: readonly Condition[]): Bitset {
    const row = first<{ ids: string }>(
      this.#db,
      `SELECT json_group_array(id) AS ids FROM (
         SELECT d.id FROM documents d WHERE ${conditions.map(({ sql }) => sql).join(" AND ")} ORDER BY d.id)`,
      ...conditions.flatMap(({ params }) => params),
    );
    const ids = JSON.parse(row?.ids ?? "[]") as number[];
    const documents = bitset(ids.at(-1) ?? 0);
    for (const id of ids) addId(documents, id);
    return documents;
  }
}

function conditionsFor({ document_id, ...filters }: SearchFilters): Condition[] {
  const conditions = filterConditions(filters);
  if (document_id !== undefined) {
    const id = Number(document_id);
    // Another text than that of an integer is the id of no document.
    conditions.push({ sql: "d.id = ?", params: [String(id) === String(document_id) ? id : -1] });
  }
  return conditions;
}
