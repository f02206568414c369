import { COLLECTION_PREFIX, isCollectionTag } from "./tags.ts";
import type { SearchResult } from "../search.ts";

/** Fields of a result that belong to its document. */
const DOCUMENT_FIELDS: ReadonlySet<string> = new Set([
  "title",
  "doc_type",
  "source_path",
]);
/** Fields with a position of their own in a compact result. */
const ARRANGED_FIELDS: ReadonlySet<string> = new Set([
  "document_id",
  "chunk_id",
  "index",
  "score",
  "text",
  "context_before",
  "context_after",
  "tags",
  "created_at",
  "updated_at",
  "also_in",
]);
/** Fields that models do not read. The text contains the snippet. */
const UNREAD_FIELDS: ReadonlySet<string> = new Set([
  // Would set the prototype.
  "__proto__",
  "char_start",
  "char_end",
  "repeated_chars",
  "snippet",
  "language",
  "content_hash",
]);
const LINE_FIELDS: ReadonlySet<string> = new Set(["line_start", "line_end"]);
/** Length of a date at the start of a timestamp: `2026-03-31`. */
const DATE_CHARS = 10;

/** Estimated tokens of a search response without its results and warnings: mode, total, cursor, time, filters. */
export const ENVELOPE_TOKENS = 60;

/** Tag of the agent's notes. */
const MEMORY_TAG = `${COLLECTION_PREFIX}memory`;

/** Options of {@linkcode compactResult}. */
export interface CompactResultOptions {
  /** Whether it is the first result of its document. The others have no document fields, and only the tag of the collection. */
  readonly isFirst: boolean;
  /** Date such as `2026-03-31`: a memory of this day has no date, which would be a quarter of its tokens. */
  readonly today?: string | undefined;
}

/** Fields of a result that {@linkcode compactResult} keeps. */
export type CompactResult = Partial<SearchResult>;

/**
 * Returns, for each result, whether it is the first one of its document, which has the document's fields.
 */
export function firstOfDocuments(results: readonly Pick<SearchResult, "document_id">[]): boolean[] {
  const seen = new Set<string>();
  return results.map(({ document_id }) => seen.size < seen.add(String(document_id)).size);
}

/**
 * Returns the fields of a result that a model reads, in reading order. `max_tokens` counts them, and `kb_search`
 * returns them.
 *
 * A field without a value is left out, and so are fields that follow from the others: the title of a note that
 * starts with it, the type of a note, the index of its first chunk, the last page of a chunk on one page, lines
 * under a heading or on a page. Of the times, only the date of the last change is left.
 *
 * @example
 * ```ts
 * import { compactResult } from "./compact_results.ts";
 * import { assertEquals } from "@std/assert";
 * const result = { chunk_id: 7, document_id: 3, index: 1, score: 0.81234, text: "Water them.", title: "Ferns" };
 * const times = { created_at: "2026-03-31T09:00:00.123Z", updated_at: null };
 * assertEquals(compactResult({ ...result, ...times, tags: [] }, { isFirst: true }), {
 *   document_id: 3,
 *   chunk_id: 7,
 *   index: 1,
 *   score: 0.812,
 *   title: "Ferns",
 *   created_at: "2026-03-31",
 *   text: "Water them.",
 * });
 * ```
 */
export function compactResult(
  result: SearchResult,
  { isFirst, today }: CompactResultOptions,
): CompactResult {
  const { document_id, chunk_id, index, score, tags, updated_at, created_at, also_in } = result;
  const isNote = result.doc_type === "note";
  const hasPlace = isNote || typeof result.page_start === "number" || !isEmpty(result.heading_path);
  // Filled in place: copies of the fields of ten results took a quarter of a call's time on the main thread.
  const compact: Record<string, unknown> = { document_id, chunk_id };
  if (typeof index === "number" && !(isNote && index === 0)) compact["index"] = index;
  compact["score"] = Number(score.toPrecision(3));
  const shownTags = isFirst ? tags : tags.filter(isCollectionTag);
  if (shownTags.length > 0) compact["tags"] = shownTags;
  for (const name of Object.keys(result)) {
    if (ARRANGED_FIELDS.has(name) || UNREAD_FIELDS.has(name)) continue;
    const isLeftOut = isEmpty(result[name]) || (!isFirst && DOCUMENT_FIELDS.has(name)) ||
      (hasPlace && LINE_FIELDS.has(name)) || isImplied(name, result);
    if (!isLeftOut) compact[name] = result[name];
  }
  const day = isFirst ? (updated_at || created_at)?.slice(0, DATE_CHARS) : undefined;
  const isDated = day && !(day === today && tags.some((tag) => tag.trim().toLowerCase() === MEMORY_TAG));
  if (isDated) compact[updated_at ? "updated_at" : "created_at"] = day;
  if (result.context_before) compact["context_before"] = result.context_before;
  compact["text"] = result.text;
  if (result.context_after) compact["context_after"] = result.context_after;
  if (also_in && also_in.length > 0) compact["also_in"] = also_in.map(compactPlace);
  return compact as CompactResult;
}

/** Returns a compact result as `kb_search` presents it, with `collection` separated from `tags`, to count its tokens. */
export function presentedResult(
  result: SearchResult,
  options: CompactResultOptions,
): Record<string, unknown> {
  const { tags = [], ...fields } = compactResult(result, options);
  const [tag] = tags.filter(isCollectionTag);
  const others = tags.filter((tag) => !isCollectionTag(tag));
  return {
    ...fields,
    ...(tag ? { collection: tag.slice(COLLECTION_PREFIX.length) } : {}),
    ...(others.length > 0 ? { tags: others } : {}),
  };
}

function compactPlace({ document_id, title, source_path }: NonNullable<SearchResult["also_in"]>[number]) {
  const name = title ?? source_path;
  return { document_id, ...(name ? { title: name } : {}) } as NonNullable<SearchResult["also_in"]>[number];
}

/** Whether a field follows from others. */
function isImplied(name: string, result: SearchResult): boolean {
  switch (name) {
    case "doc_type":
      return result.doc_type === "note";
    case "title":
      return result.doc_type === "note" && result.text.startsWith((result.title ?? "").replace(/\s*…$/, ""));
    case "page_end":
      return result.page_end === result.page_start;
    case "line_end":
      return result.line_end === result.line_start;
    default:
      return false;
  }
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === false || value === "" ||
    (Array.isArray(value) && value.length === 0);
}
