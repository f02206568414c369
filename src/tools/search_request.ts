import { checkCallerTags, type Collections, collectionTag, splitTags } from "../collections/mod.ts";
import type { FiltersApplied, SearchRequest } from "../contract/mod.ts";
import { ToolError } from "./define.ts";
import { checkTimeRange } from "./time_range.ts";
import { visible } from "./visible.ts";

/** What a caller of `kb_search` gave, in the tool's terms. */
export interface SearchInput extends Omit<SearchRequest, "collections"> {
  /** One name, or several of which a document needs to be in one. */
  readonly collection?: string | readonly string[] | undefined;
}

/** Filters in the tool's terms. */
export interface FiltersInForce extends Omit<FiltersApplied, "collections"> {
  collection?: string | string[];
}

/**
 * What the engine is asked. One collection is one more tag of its AND filter (decision D2), which every engine knows;
 * several have a field of their own. What was not given is undefined, and thus not sent.
 *
 * @throws {ToolError} For arguments that contradict one another.
 * @throws {CollectionError} For an unknown collection, and for a `collection:` tag.
 */
export function toSearchRequest(input: SearchInput, collections: Collections): SearchRequest {
  const { collection, tags, tags_any, tags_none, doc_type, ...rest } = input;
  checkTimeRange(rest);
  if (rest.fts_only && rest.mode !== undefined && rest.mode !== "fts") {
    throw new ToolError(
      `fts_only must be left out with mode ${JSON.stringify(rest.mode)}: it means mode "fts".`,
    );
  }
  if (Array.isArray(collection) && collection.length === 0) {
    throw new ToolError("collection must name a collection, got an empty list: leave it out to search all.");
  }
  const names = new Set([collection ?? []].flat().map((name) => collections.check(name)));
  const several = names.size > 1;
  return {
    ...rest,
    doc_type: doc_type?.toLowerCase(),
    tags: unlessEmpty([...(several ? [] : [...names].map(collectionTag)), ...checkCallerTags(tags ?? [])]),
    tags_any: unlessEmpty(checkCallerTags(tags_any ?? [], "tags_any")),
    tags_none: unlessEmpty(checkCallerTags(tags_none ?? [], "tags_none")),
    collections: several ? [...names] : undefined,
  };
}

/**
 * The filters of an answer in the tool's terms: those that were asked for, as the engine understood them if it says so.
 *
 * @returns Undefined without any.
 */
export function filtersInForce(
  request: SearchRequest,
  applied: FiltersApplied | null | undefined,
): FiltersInForce | undefined {
  const { tags, tags_any, tags_none, collections, doc_type, since, until, per_document } = request;
  const asked = { tags, tags_any, tags_none, doc_type, since, until, per_document, collections };
  const { tags: all, collections: several, ...rest } = visible({ ...asked, ...applied });
  const own = splitTags(all ?? []);
  const filters = { collection: unlessEmpty(several ?? []) ?? own.collection, tags: own.tags, ...rest };
  const said = Object.entries(filters).filter(([, value]) =>
    value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)
  );
  return said.length > 0 ? Object.fromEntries(said) : undefined;
}

function unlessEmpty<T>(list: T[]): T[] | undefined {
  return list.length > 0 ? list : undefined;
}
