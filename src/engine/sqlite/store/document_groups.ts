import type { DatabaseSync } from "node:sqlite";
import type { DOCUMENT_GROUPS, DocumentList } from "../../../contract/mod.ts";
import { COLLECTION_PREFIX } from "../../../contract/rules/mod.ts";
import { DocumentConditions, RECENCY } from "./document_conditions.ts";
import { all, count } from "./sql.ts";

/** Key by which documents are counted. */
export type GroupBy = (typeof DOCUMENT_GROUPS)[number];

/** Number of documents with a key, which is null for documents without one. */
export type DocumentGroup = NonNullable<DocumentList["groups"]>[number];

/** Whether a tag names a collection, or could be mistaken for one. */
export const IS_COLLECTION = `lower(ltrim(t.name)) GLOB '${COLLECTION_PREFIX}*'`;

/** Returns the groups of the matching documents: largest first, days newest first. */
export function documentGroups(
  db: DatabaseSync,
  conditions: DocumentConditions,
  by: GroupBy,
): DocumentGroup[] {
  const groups = read(db, conditions, by);
  return groups.toSorted((a, b) => compareGroups(a, b, by));
}

/** Whether a group follows the last one of the previous page, given by its count and key. */
export function isAfterGroup(
  group: DocumentGroup,
  [count, key]: readonly (string | number)[],
  by: GroupBy,
): boolean {
  return compareGroups(group, { key: String(key), count: Number(count) }, by) > 0;
}

function compareGroups(a: DocumentGroup, b: DocumentGroup, by: GroupBy): number {
  const order = compareText(a.key ?? "", b.key ?? "");
  return by === "day" ? -order : b.count - a.count || order;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function read(db: DatabaseSync, conditions: DocumentConditions, by: GroupBy): DocumentGroup[] {
  switch (by) {
    case "tag":
      return tagGroups(db, conditions, `NOT ${IS_COLLECTION}`, "t.name");
    case "collection": {
      const name = `substr(t.name, ${COLLECTION_PREFIX.length + 1})`;
      const groups = tagGroups(db, conditions, `t.name GLOB '${COLLECTION_PREFIX}*'`, name);
      const none = countWithoutCollection(db, conditions);
      return none === 0 ? groups : [...groups, { key: null, count: none }];
    }
    case "kind":
      return columnGroups(db, conditions, "d.doc_type");
    case "day":
      return columnGroups(db, conditions, `substr(${RECENCY}, 1, 10)`);
  }
}

function columnGroups(db: DatabaseSync, conditions: DocumentConditions, key: string): DocumentGroup[] {
  const { sql, params } = conditions;
  return all(db, `SELECT ${key} AS key, count(*) AS count ${sql} GROUP BY 1`, ...params);
}

function tagGroups(
  db: DatabaseSync,
  conditions: DocumentConditions,
  isWanted: string,
  key: string,
): DocumentGroup[] {
  const { sql, params, isEmpty } = conditions;
  return all(
    db,
    `SELECT ${key} AS key, n AS count FROM (
       SELECT tag_id, count(*) AS n FROM document_tags
        ${isEmpty ? "" : `WHERE document_id IN (SELECT d.id ${sql})`} GROUP BY tag_id
     ) JOIN tags t ON t.id = tag_id WHERE ${isWanted}`,
    ...params,
  );
}

function countWithoutCollection(db: DatabaseSync, conditions: DocumentConditions): number {
  const { sql, params, isEmpty } = conditions;
  return count(
    db,
    `SELECT count(*) AS n ${sql} ${isEmpty ? "WHERE" : "AND"} NOT EXISTS (
       SELECT 1 FROM document_tags WHERE document_id = d.id
          AND tag_id IN (SELECT id FROM tags WHERE name GLOB '${COLLECTION_PREFIX}*'))`,
    ...params,
  );
}
