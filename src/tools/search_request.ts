import { checkCallerTags, type Collections, collectionTag, splitTags } from "../collections/mod.ts";
import { dateInputTime, type FiltersApplied, type SearchRequest } from "../contract/mod.ts";
import { isEmpty, withVisibleText } from "./outputs.ts";
import { ToolError } from "./tool.ts";

/** Arguments of `kb_search` that make up the engine's request. */
export interface SearchInput extends Omit<SearchRequest, "collections"> {
  /** One collection, or several: a document must be in one of them. */
  readonly collection?: string | readonly string[] | undefined;
}

/** Filters in the terms of `kb_search`. */
export interface SearchFilters extends Omit<FiltersApplied, "collections"> {
  collection?: string | string[];
}

/**
 * Builds the engine's request. A single collection becomes another required tag (decision D2), which every
 * engine supports; several have a field of their own.
 *
 * @throws {ToolError} For arguments that contradict each other.
 * @throws {CollectionError} For an unknown collection, and for a `collection:` tag.
 */
export function toSearchRequest(input: SearchInput, collections: Collections): SearchRequest {
  const { collection, tags, tags_any, tags_none, doc_type, ...rest } = input;
  checkTimeRange(rest);
  if (rest.fts_only && rest.mode !== undefined && rest.mode !== "fts") {
    throw new ToolError(
      `fts_only must be omitted with mode ${JSON.stringify(rest.mode)}: it means mode "fts".`,
    );
  }
  if (Array.isArray(collection) && collection.length === 0) {
    throw new ToolError("collection must name a collection, got an empty list: omit it to search all.");
  }
  const names = [...new Set([collection ?? []].flat().map((name) => collections.check(name)))];
  const hasSeveral = names.length > 1;
  return {
    ...rest,
    doc_type: doc_type?.toLowerCase(),
    tags: unlessEmpty([...(hasSeveral ? [] : names.map(collectionTag)), ...checkCallerTags(tags ?? [])]),
    tags_any: unlessEmpty(checkCallerTags(tags_any ?? [], "tags_any")),
    tags_none: unlessEmpty(checkCallerTags(tags_none ?? [], "tags_none")),
    collections: hasSeveral ? names : undefined,
  };
}

/** Rejects an empty time range, because its empty result would look like missing knowledge. */
function checkTimeRange({ since, until }: Pick<SearchInput, "since" | "until">): void {
  if (since === undefined || until === undefined) return;
  if (dateInputTime(since, "since") <= dateInputTime(until, "until")) return;
  throw new ToolError(
    `since must not be later than until, got since ${JSON.stringify(since)} and until ` +
      `${JSON.stringify(until)}: swap them or omit one.`,
  );
}

/**
 * Returns the filters of a search in the tool's terms, as reported by the engine if it does.
 *
 * @returns Undefined without any filter.
 */
export function searchFilters(
  request: SearchRequest,
  applied: FiltersApplied | null | undefined,
): SearchFilters | undefined {
  const { tags, tags_any, tags_none, collections, doc_type, language, since, until, per_document } = request;
  const requested = {
    tags,
    tags_any,
    tags_none,
    doc_type,
    language,
    since,
    until,
    per_document,
    collections,
  };
  const { tags: allTags, collections: several, ...rest } = withVisibleText({ ...requested, ...applied });
  const split = splitTags(allTags ?? []);
  const filters = {
    collection: unlessEmpty(several ?? []) ?? split.collection,
    tags: split.tags,
    ...rest,
  };
  const set = Object.entries(filters).filter(([, value]) => !isEmpty(value));
  return set.length > 0 ? Object.fromEntries(set) : undefined;
}

function unlessEmpty<T>(list: T[]): T[] | undefined {
  return list.length > 0 ? list : undefined;
}
