import { COLLECTION_PREFIX } from "../../../contract/rules/mod.ts";
import type { SQLInputValue } from "node:sqlite";
import type { DocumentFilters } from "../../knowledge_base/mod.ts";
import { RECENCY } from "./document_conditions.ts";
import { pathForms } from "./path_forms.ts";

/** A condition on a row of `documents AS d`. */
export interface Condition {
  readonly sql: string;
  readonly params: readonly SQLInputValue[];
}

const WITH_ANY_TAG = `SELECT x.document_id FROM document_tags x JOIN tags t ON t.id = x.tag_id
  WHERE t.name IN (SELECT value FROM json_each(?))`;
/** Sort before and after every stored time. */
const [MIN_TIME, MAX_TIME] = ["", "~"];
/** Sorts after every character of a path. */
const LAST_CHARACTER = "\u{10ffff}";

/** The text of a JSON value as {@linkcode String} writes it; SQLite has booleans as 0 and 1. */
const textOf = (value: string) =>
  `CASE WHEN ${value}.type IN ('true', 'false') THEN ${value}.type ELSE CAST(${value}.value AS TEXT) END`;

/** The metadata, or NULL if it is nested too deeply for SQLite, whose error would end the whole query. */
const METADATA = "CASE WHEN json_valid(d.metadata) THEN d.metadata END";

/** Whether the metadata has each field of a JSON object, with its value or with a list that contains it. */
const WITH_METADATA = `d.metadata IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM json_each(?) wanted WHERE NOT EXISTS (
    SELECT 1 FROM json_each(${METADATA}) field WHERE field.key = wanted.key AND CASE field.type
      WHEN 'array' THEN EXISTS (SELECT 1 FROM json_each(field.value) item WHERE ${
  textOf("item")
} = wanted.value)
      ELSE ${textOf("field")} = wanted.value END))`;

/** Whether a field has a value. */
const HAS_VALUE = `EXISTS (SELECT 1 FROM json_each(${METADATA}) field WHERE field.key = wanted.key
  AND field.type <> 'null' AND field.value NOT IN ('', '[]', '{}'))`;

/** Whether a field, or an item of its list, is between `from` and `to`, which have one type. */
const IS_BETWEEN = `EXISTS (
  SELECT 1 FROM json_each(${METADATA}) field, json_each(
    CASE field.type WHEN 'array' THEN field.value WHEN 'text' THEN json_array(field.value)
      WHEN 'integer' THEN json_array(field.value) WHEN 'real' THEN json_array(field.value) ELSE '[]' END) item
  WHERE field.key = wanted.key AND item.type IN ('text', 'integer', 'real')
    AND (item.type = 'text') = (typeof(coalesce(wanted.value ->> 'from', wanted.value ->> 'to')) = 'text')
    AND (wanted.value ->> 'from' IS NULL OR item.value >= wanted.value ->> 'from')
    AND (wanted.value ->> 'to' IS NULL OR wanted.value ->> 'to' >=
      CASE item.type WHEN 'text' THEN substr(item.value, 1, length(wanted.value ->> 'to')) ELSE item.value END))`;

/** Whether the metadata fulfills each of the conditions in a JSON object, by the name of their field. */
const WITH_METADATA_CONDITIONS = `NOT EXISTS (
  SELECT 1 FROM json_each(?) wanted WHERE NOT (
    coalesce(wanted.value ->> 'exists' = ${HAS_VALUE}, TRUE) AND (
      coalesce(wanted.value ->> 'from', wanted.value ->> 'to') IS NULL OR ${IS_BETWEEN})))`;

/**
 * Returns the SQL of filters. Its text depends on the names of the filters, and on how many forms a path has, not on
 * their values.
 */
export function filterConditions(filters: DocumentFilters): Condition[] {
  const { tags, tags_any, tags_none, collections, doc_type, language, since, until } = filters;
  const { source_path_prefix: prefix, metadata } = filters;
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
  if (prefix !== undefined) {
    const forms = pathForms(prefix);
    const starts = forms.map(() => "d.source_path >= ? AND d.source_path < ?").join(" OR ");
    add(`(${starts})`, ...forms.flatMap((form) => [form, form + LAST_CHARACTER]));
  }
  if (since !== undefined || until !== undefined) {
    add(`${RECENCY} BETWEEN ? AND ?`, since ?? MIN_TIME, until ?? MAX_TIME);
  }
  if (metadata) {
    const fields = Object.entries(metadata);
    const values = fields.filter(([, value]) => typeof value !== "object");
    const conditions = fields.filter(([, value]) => typeof value === "object");
    const texts = values.map(([name, value]) => [name, String(value)]);
    if (texts.length > 0) add(WITH_METADATA, JSON.stringify(Object.fromEntries(texts)));
    if (conditions.length > 0) add(WITH_METADATA_CONDITIONS, JSON.stringify(Object.fromEntries(conditions)));
  }
  return conditions;
}
