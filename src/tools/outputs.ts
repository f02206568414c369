import * as z from "zod";
import { splitTags } from "../collections/mod.ts";
import { compactResult, firstOfDocuments, type Id, type Job, type SearchResult } from "../contract/mod.ts";
import { escapeInvisible, estimateTokens, visibleText } from "../text/mod.ts";

/*
 * Schemas and presentation that several tools share. The schemas are loose: fields that an engine adds pass
 * through.
 */

/** An id in an output. The contract's `Id` without its limits, which would cost tokens in every schema. */
export const OutputId = z.union([z.number(), z.string()]);

/** Fields that {@linkcode present} adds to a record that has tags. */
const presentedFields = { collection: z.string().optional(), tags: z.array(z.string()).optional() };

/** A document, with its chunks if they were requested. */
export const DocumentOutput = z.looseObject({ document_id: OutputId, ...presentedFields });

/** A passage that a search found. */
export const SearchResultOutput = z.looseObject({
  chunk_id: OutputId,
  document_id: OutputId,
  index: z.number().optional(),
  ...presentedFields,
  score: z.number(),
  text: z.string(),
});

/** An ingestion job. */
export const JobOutput = z.looseObject({ job_id: OutputId, status: z.string() });

/**
 * State of an upload: the fields of `UploadState` that decide the next step. The others pass through.
 * `missing_chunks` has the indexes below the highest one received.
 */
export const UploadOutput = z.looseObject({
  received_bytes: z.number(),
  expected_bytes: z.number(),
  missing_chunks: z.array(z.number()),
  next_chunk_index: z.number().optional(),
  complete: z.boolean(),
});

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
 * import { present } from "./outputs.ts";
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
function presentedParts(record: EngineRecord) {
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

/** Adds a field of any name: an assignment to `__proto__`, which front matter can have, would set the prototype. */
function addField(fields: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== "__proto__") fields[name] = value;
  else Object.defineProperty(fields, name, { value, enumerable: true, configurable: true, writable: true });
}

/** Cuts the fraction of a second off a time, which is a field with a name like `created_at`. */
function toSeconds(name: string, value: unknown): unknown {
  if (typeof value !== "string" || !/(?:_at|_until|^since|^until|^now)$/.test(name)) return value;
  return value.replace(/(:\d\d)\.\d+/, "$1");
}

/**
 * Presents a page of search results: the fields that models read, with those of a document on its first result
 * only. Every result has its `collection`.
 *
 * @param today Date such as `2026-03-31`.
 */
export function presentResults(results: readonly SearchResult[], today: string): PresentedResult[] {
  // An engine in this process returns the same frozen results to equal searches.
  if (!Object.isFrozen(results)) return presentPage(results, today);
  let page = presentedPages.get(results);
  if (page?.today !== today) {
    presentedPages.set(results, page = { today, results: presentPage(results, today) });
  }
  return page.results;
}

const presentedPages = new WeakMap<
  readonly SearchResult[],
  { readonly today: string; readonly results: PresentedResult[] }
>();

function presentPage(results: readonly SearchResult[], today: string): PresentedResult[] {
  const isFirst = firstOfDocuments(results);
  return results.map((result, n) => {
    const compact = compactResult(result, { isFirst: isFirst[n] ?? true, today });
    const { fields, tags = [], metadata } = presentedParts(compact);
    Object.assign(fields, metadata);
    if (tags.length > 0) fields["tags"] = tags;
    return fields as PresentedResult;
  });
}

/** A search result as a model reads it: also the other fields of {@linkcode SearchResult} that have a value. */
export interface PresentedResult {
  readonly [field: string]: unknown;
  readonly document_id: Id;
  readonly chunk_id: Id;
  readonly score: number;
  readonly text: string;
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

/** Fields that other calls take, so they must stay as the engine sent them. */
const ID_FIELDS: ReadonlySet<string> = new Set(["document_id", "chunk_id", "job_id"]);

/**
 * Removes invisible characters from every text and field name of a value, recursively. The value's own ids
 * stay unchanged; a field of front matter is never treated as an id.
 *
 * @example
 * ```ts
 * import { withVisibleText } from "./outputs.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(withVisibleText({ document_id: 1, tags: ["a\u200bb"] }), { document_id: 1, tags: ["ab"] });
 * ```
 */
export function withVisibleText<T>(value: T): T {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return visible(value) as T;
  return mapFields(value, (field, name) => ID_FIELDS.has(name) ? field : visible(field)) as T;
}

/** Visible copies of frozen values: an engine in this process returns the same values to many calls. */
const visibleCopies = new WeakMap<object, unknown>();

/** Frozen values are deeply frozen. */
function visible(value: unknown): unknown {
  if (typeof value === "string") return visibleText(value);
  if (typeof value !== "object" || value === null || !Object.isFrozen(value)) return visibleCopy(value);
  let copy = visibleCopies.get(value);
  if (copy === undefined) visibleCopies.set(value, copy = visibleCopy(value));
  return copy;
}

function visibleCopy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(visible);
  if (typeof value !== "object" || value === null) return value;
  return mapFields(value, visible);
}

/**
 * Maps the fields of an object and makes their names visible. A name that would then equal another one is
 * escaped instead: a hidden field must not replace a visible one, or an id.
 */
function mapFields(value: object, map: (field: unknown, name: string) => unknown): Record<string, unknown> {
  const mapped: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    if (visibleText(name) !== name) return mapWithNames(value, map);
    addField(mapped, name, map((value as Record<string, unknown>)[name], name));
  }
  return mapped;
}

function mapWithNames(
  value: object,
  map: (field: unknown, name: string) => unknown,
): Record<string, unknown> {
  const fields = Object.entries(value);
  const isVisible = ([name]: [string, unknown]) => visibleText(name) === name;
  const names = new Set(fields.filter(isVisible).map(([name]) => name));
  return Object.fromEntries(fields.map(([name, field]) => [visibleName(name, names), map(field, name)]));
}

/** Returns the visible form of a name, and adds it to `names`. */
function visibleName(name: string, names: Set<string>): string {
  const plain = visibleText(name);
  if (plain === name) return name;
  const shown = names.has(plain) ? escapeInvisible(name) : plain;
  let unique = shown;
  for (let n = 2; names.has(unique); n++) unique = `${shown} (${n})`;
  names.add(unique);
  return unique;
}

/** Whether a field has no value: null, undefined or an empty list. */
export function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}
