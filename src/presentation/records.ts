import type { Job } from "../contract/mod.ts";
import { splitTags } from "../contract/rules/mod.ts";
import { estimateTokens } from "../text/mod.ts";
import { addField, withVisibleText } from "./visible_values.ts";

/** Maximum size of a document's front matter in an output. */
const MAX_METADATA_TOKENS = 1_000;

/** The fields of an engine's record that {@linkcode present} treats in a way of their own. */
export interface EngineRecord {
  readonly content_hash?: unknown;
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
  readonly tags?: readonly string[] | null | undefined;
}

/** A record as {@linkcode present} returns it. `Omit` would lose the known fields of a type with an index signature. */
export type Presented<T> =
  & { [Name in keyof T as Name extends keyof EngineRecord ? never : Name]: T[Name] }
  & { collection?: string; tags?: string[]; metadata?: Record<string, unknown> };

/**
 * Presents a record of the engine to a model: only visible text, `collection` separated from `tags`, no field
 * without a value, times to the second, front matter within a token limit, and no hash, which costs 40 tokens and is
 * of no use to any tool.
 *
 * @example
 * ```ts
 * import { present } from "./records.ts";
 * import { assertEquals } from "@std/assert";
 * const times = { created_at: "2026-03-31T09:00:00.123Z", updated_at: null };
 * assertEquals<unknown>(present({ document_id: 1, ...times, tags: ["collection:memory", "mail"] }), {
 *   document_id: 1,
 *   created_at: "2026-03-31T09:00:00Z",
 *   collection: "memory",
 *   tags: ["mail"],
 * });
 * ```
 */
export function present<T extends EngineRecord>(record: T): Presented<T> {
  const { fields, tags, metadata } = presentedParts(record);
  if (tags) fields["tags"] = tags;
  return Object.assign(fields, metadata) as Presented<T>;
}

/** Fields that {@linkcode presentedParts} returns apart from the others, or not at all. */
const SEPARATE_FIELDS: ReadonlySet<string> = new Set<keyof EngineRecord>([
  "tags",
  "content_hash",
  "metadata",
]);

/** Returns the fields of a record that a model reads, as a new object; its tags besides the collection; its front matter. */
export function presentedParts(record: EngineRecord) {
  const visible = withVisibleText(record);
  const { tags, metadata } = visible;
  const fields: Record<string, unknown> = {};
  for (const name of Object.keys(visible)) {
    if (!SEPARATE_FIELDS.has(name)) addShown(fields, name, visible[name as keyof EngineRecord]);
  }
  const split = splitTags(tags ?? []);
  if (split.collection !== null) fields["collection"] = split.collection;
  return { fields, tags: tags ? split.tags : undefined, metadata: metadata && presentMetadata(metadata) };
}

/**
 * Drops the fields of a record that have no value (null, undefined, false or an empty list), and the fractions of
 * seconds of its times.
 */
export function withoutEmpty<T extends object>(record: T): Partial<T> {
  const fields: Record<string, unknown> = {};
  for (const name of Object.keys(record)) addShown(fields, name, record[name as keyof T]);
  return fields as Partial<T>;
}

/** Adds a field that {@linkcode withoutEmpty} keeps. */
function addShown(fields: Record<string, unknown>, name: string, value: unknown): void {
  if (!isEmpty(value) && value !== false) addField(fields, name, toSeconds(name, value));
}

/** Cuts the fraction of a second off a time, which is a field with a name like `created_at`. */
function toSeconds(name: string, value: unknown): unknown {
  if (typeof value !== "string" || !/(?:_at|_until|^since|^until|^now)$/.test(name)) return value;
  return value.replace(/(:\d\d)\.\d+/, "$1");
}

/** Keeps the first fields that fit; `metadata_cut` is set if there are more. */
function presentMetadata(metadata: Readonly<Record<string, unknown>>) {
  const fields = Object.entries(metadata);
  let left = MAX_METADATA_TOKENS;
  const excess = fields.findIndex((field) => (left -= estimateTokens(JSON.stringify(field))) < 0);
  if (excess < 0) return fields.length > 0 ? { metadata } : {};
  return { metadata: Object.fromEntries(fields.slice(0, excess)), metadata_cut: true };
}

/** Presents a job to a model, without the fields that its status does not have. */
export function presentJob(job: Job): Presented<Job> {
  return present(job);
}

/** Whether a field has no value: null, undefined or an empty list. */
export function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}
