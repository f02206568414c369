import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import type { FiltersApplied, SearchRequest } from "../../../contract/mod.ts";
import { addId, type Bitset, bitset, hasId } from "../../../data_structures/mod.ts";
import { COLLECTION_PREFIX, first } from "../store/mod.ts";
import { timeRange } from "../../search/mod.ts";

/** Which documents a search may answer with. */
export type DocumentFilter = (document: number) => boolean;

/** Sets of documents that are remembered, and the most bytes of one. */
const MAX_REMEMBERED = 32;
const MAX_REMEMBERED_BYTES = 2 ** 20;

interface Condition {
  /** Tests a row of `documents AS d`. */
  readonly sql: string;
  readonly params: readonly SQLInputValue[];
}

/** Evaluates filters. What they let through is remembered until the database changes. */
export class Filters {
  readonly #db: DatabaseSync;
  readonly #remembered = new Map<string, Bitset>();
  #version = "";

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /**
   * The filter of a request.
   *
   * @param version Changes whenever the database does.
   * @returns Undefined: it has none.
   * @throws {KnowledgeBaseError} `invalid` for a time that is none.
   */
  of(request: SearchRequest, version: string): DocumentFilter | undefined {
    const conditions = conditionsOf(request);
    if (conditions.length === 0) return undefined;
    if (this.#version !== version) this.#remembered.clear();
    this.#version = version;
    const key = JSON.stringify(conditions);
    const bits = this.#remembered.get(key) ?? this.#read(conditions);
    if (bits.length <= MAX_REMEMBERED_BYTES) {
      if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear();
      this.#remembered.set(key, bits);
    }
    return (document) => hasId(bits, document);
  }

  /** The documents that pass, as a bitset. */
  #read(conditions: readonly Condition[]): Bitset {
    const row = first<{ ids: string }>(
      this.#db,
      `SELECT json_group_array(id) AS ids FROM (
         SELECT d.id FROM documents d WHERE ${conditions.map(({ sql }) => sql).join(" AND ")} ORDER BY d.id)`,
      ...conditions.flatMap(({ params }) => params),
    );
    const ids = JSON.parse(row?.ids ?? "[]") as number[];
    const bits = bitset(ids.at(-1) ?? 0);
    for (const id of ids) addId(bits, id);
    return bits;
  }
}

const WITH_ANY = `SELECT x.document_id FROM document_tags x JOIN tags t ON t.id = x.tag_id
  WHERE t.name IN (SELECT value FROM json_each(?))`;

function conditionsOf(request: SearchRequest): Condition[] {
  const conditions: Condition[] = [];
  const add = (sql: string, ...params: SQLInputValue[]) => conditions.push({ sql, params });
  const { tags, tags_any, tags_none, collections, doc_type } = named(request);
  if (tags) add(`d.id IN (${WITH_ANY} GROUP BY 1 HAVING count(*) = ?)`, JSON.stringify(tags), tags.length);
  if (tags_any) add(`d.id IN (${WITH_ANY})`, JSON.stringify(tags_any));
  if (tags_none) add(`d.id NOT IN (${WITH_ANY})`, JSON.stringify(tags_none));
  if (collections) {
    add(`d.id IN (${WITH_ANY})`, JSON.stringify(collections.map((name) => COLLECTION_PREFIX + name)));
  }
  if (doc_type !== undefined) add("d.doc_type = ?", doc_type);
  const range = timeRange(request.since, request.until);
  if (range) add("coalesce(d.updated_at, d.created_at) BETWEEN ? AND ?", ...range);
  return conditions;
}

/** The filters of a request by name: lists without repetitions, empty ones left out. */
function named({ tags, tags_any, tags_none, collections, doc_type }: SearchRequest) {
  const lists = Object.entries({ tags, tags_any, tags_none, collections })
    .map(([name, list]) => [name, [...new Set(list ?? [])]] as const)
    .filter(([, list]) => list.length > 0);
  return {
    ...Object.fromEntries(lists) as Partial<Record<(typeof lists)[number][0], string[]>>,
    ...(doc_type === undefined ? {} : { doc_type }),
  } as {
    tags?: string[];
    tags_any?: string[];
    tags_none?: string[];
    collections?: string[];
    doc_type?: string;
  };
}

/** The filters of a request as they were understood. */
export function filtersApplied(request: SearchRequest): FiltersApplied {
  const [since, until] = timeRange(request.since, request.until) ?? [];
  return {
    ...named(request),
    ...(request.since === undefined || since === undefined ? {} : { since }),
    ...(request.until === undefined || until === undefined ? {} : { until }),
    ...(request.per_document === undefined ? {} : { per_document: request.per_document }),
  };
}
