import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { addId, type Bitset, bitset, hasId } from "../../../data_structures/mod.ts";
import type { SearchFilters } from "../../search/mod.ts";
import { COLLECTION_PREFIX, first, RECENCY } from "../store/mod.ts";

/** Tests whether a document, by its id, passes the filters of a search. */
export type DocumentFilter = (document: number) => boolean;

/** Maximum number of cached sets. */
const MAX_CACHED = 32;
/** Maximum size of a cached set, in bytes. */
const MAX_CACHED_BYTES = 2 ** 20;

/** A condition on a row of `documents AS d`. */
interface Condition {
  readonly sql: string;
  readonly params: readonly SQLInputValue[];
}

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

const WITH_ANY_TAG = `SELECT x.document_id FROM document_tags x JOIN tags t ON t.id = x.tag_id
  WHERE t.name IN (SELECT value FROM json_each(?))`;
/** Sort before and after every stored time. */
const [MIN_TIME, MAX_TIME] = ["", "~"];

function conditionsFor(filters: SearchFilters): Condition[] {
  const { tags, tags_any, tags_none, collections, doc_type, language, since, until } = filters;
  const conditions: Condition[] = [];
  const add = (sql: string, ...params: SQLInputValue[]) => conditions.push({ sql, params });
  if (tags) {
    add(`d.id IN (${WITH_ANY_TAG} GROUP BY 1 HAVING count(*) = ?)`, JSON.stringify(tags), tags.length);
  }
  if (tags_any) add(`d.id IN (${WITH_ANY_TAG})`, JSON.stringify(tags_any));
  if (tags_none) add(`d.id NOT IN (${WITH_ANY_TAG})`, JSON.stringify(tags_none));
  if (collections) {
    add(`d.id IN (${WITH_ANY_TAG})`, JSON.stringify(collections.map((name) => COLLECTION_PREFIX + name)));
  }
  if (doc_type !== undefined) add("d.doc_type = ?", doc_type);
  if (language !== undefined) add("d.language = ?", language);
  if (since !== undefined || until !== undefined) {
    add(`${RECENCY} BETWEEN ? AND ?`, since ?? MIN_TIME, until ?? MAX_TIME);
  }
  return conditions;
}
