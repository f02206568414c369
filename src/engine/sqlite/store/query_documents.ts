import { createHash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import type * as z from "zod";
import type { DocumentList, DocumentListRequest } from "../../../contract/mod.ts";
import { COLLECTION_PREFIX } from "../../../contract/rules/mod.ts";
import {
  decodeListCursor,
  type DocumentFilters,
  parseDocumentFilters,
  takePage,
} from "../../knowledge_base/mod.ts";
import {
  type CountedTag,
  DocumentConditions,
  type DocumentOrder,
  RECENCY,
  SCAN_THRESHOLD,
  tagNamed,
} from "./document_conditions.ts";
import { documentGroups, isAfterGroup } from "./document_groups.ts";
import { toDocumentSummary } from "./document_rows.ts";
import { filterConditions } from "./filter_conditions.ts";
import { count, storable } from "./sql.ts";
import { titleCondition } from "./title_words.ts";

/** A request with its defaults. */
export type ParsedRequest = z.output<typeof DocumentListRequest>;

/** Sort keys. `used` needs the usage counters. */
const SORT_KEYS: Readonly<Record<ParsedRequest["sort"], string>> = {
  updated: RECENCY,
  created: "d.created_at",
  title: "d.title COLLATE NOCASE",
  size: "d.size_bytes",
  used: "coalesce((SELECT uses FROM document_usage WHERE document_id = d.id), 0)",
};

/** Returns the id of the last document: an upper bound of their number, without reading them. */
export function lastDocumentId(db: DatabaseSync): number {
  return count(db, "SELECT max(id) AS n FROM documents");
}

/**
 * Lists or counts the documents that pass filters.
 *
 * @throws {KnowledgeBaseError} `invalid` for an invalid time, a title without words, an unknown cursor, or the
 * cursor of another query.
 */
export function queryDocuments(db: DatabaseSync, request: ParsedRequest): DocumentList {
  const { sort, order, group_by, limit } = request;
  const filters = parseDocumentFilters(request);
  const query = fingerprint(request, filters);
  const after = request.cursor === undefined ? undefined : decodeListCursor(request.cursor, query);
  const required = requiredTags(db, filters);
  const [rarest, ...otherTags] = required ?? [];
  const conditions = conditionsOf(request, filters, otherTags);
  // An unknown tag matches nothing.
  const total = required === undefined
    ? 0
    : rarest && conditions.isEmpty
    ? rarest.documents
    : conditions.withTag(rarest, true).count(db);
  if (group_by !== undefined) {
    const groups = total === 0 ? [] : documentGroups(db, conditions.withTag(rarest, true), group_by);
    const rest = after ? groups.filter((group) => isAfterGroup(group, after, group_by)) : groups;
    const page = takePage(rest, { limit, key: ({ count, key }) => [query, count, key ?? ""] });
    return { groups: page.rows, total, next_cursor: page.nextCursor };
  }
  if (total === 0) return { documents: [], total, next_cursor: null };
  const rowOrder: DocumentOrder = {
    key: SORT_KEYS[sort],
    isDescending: (order ?? (sort === "title" ? "asc" : "desc")) === "desc",
  };
  if (after) conditions.addAfter(after[0], Number(after[1]), rowOrder);
  // One row more than the limit shows whether there is a next page.
  const rows = conditions.withTag(rarest, total < SCAN_THRESHOLD).select(db, rowOrder, limit + 1);
  const page = takePage(rows, { limit, key: ({ sort_key, id }) => [query, sort_key, id] });
  return {
    documents: page.rows.map((row) => toDocumentSummary(db, row)),
    total,
    next_cursor: page.nextCursor,
  };
}

/** Identifies a query without its page: a cursor is valid for one query only. */
function fingerprint({ title, sort, order, group_by }: ParsedRequest, filters: DocumentFilters): string {
  const identity = JSON.stringify([filters, title, sort, order, group_by]);
  return createHash("sha256").update(identity).digest("base64url").slice(0, 12);
}

/** Returns the tags that every match has, rarest first; undefined if a tag is unknown. */
function requiredTags(db: DatabaseSync, { tags = [], collections = [] }: DocumentFilters) {
  const collection = collections.length === 1 ? collections.map((name) => COLLECTION_PREFIX + name) : [];
  const names = new Set([...tags, ...collection].map(storable));
  const found = [...names].map((name) => tagNamed(db, name)).filter((tag) => tag !== undefined);
  return found.length === names.size ? found.toSorted((a, b) => a.documents - b.documents) : undefined;
}

/** Returns the conditions of a query, except for its rarest tag. */
function conditionsOf(
  { title }: ParsedRequest,
  { tags: _, collections, ...filters }: DocumentFilters,
  otherTags: readonly CountedTag[],
): DocumentConditions {
  const conditions = new DocumentConditions();
  if (otherTags.length > 0) {
    conditions.add(
      `(SELECT count(*) FROM document_tags
         WHERE document_id = d.id AND tag_id IN (SELECT value FROM json_each(?))) = ?`,
      JSON.stringify(otherTags.map(({ id }) => id)),
      otherTags.length,
    );
  }
  const several = collections && collections.length > 1 ? { collections } : {};
  for (const { sql, params } of filterConditions({ ...filters, ...several })) conditions.add(sql, ...params);
  if (title !== undefined) {
    const { sql, params } = titleCondition(title);
    conditions.add(sql, ...params);
  }
  return conditions;
}
