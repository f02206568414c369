import { type Collections, splitTags } from "../collections/mod.ts";
import type { FiltersApplied, SearchRequest } from "../contract/mod.ts";
import { isEmpty, withVisibleText } from "../presentation/mod.ts";
import { type FilterArguments, toEngineFilters, unlessEmpty } from "./filter_arguments.ts";
import { ToolError } from "./tool.ts";

/** Arguments of `kb_search` that make up the engine's request, with absolute times. */
export type SearchInput = FilterArguments & Omit<SearchRequest, "collections" | "source_path_prefix">;

/** Filters in the terms of `kb_search`. */
export interface SearchFilters extends Omit<FiltersApplied, "collections" | "source_path_prefix"> {
  collection?: string | string[];
  source_path?: string;
}

/**
 * Builds the engine's request.
 *
 * @throws {ToolError} For arguments that contradict each other.
 * @throws {CollectionError} For an unknown collection, and for a `collection:` tag.
 */
export function toSearchRequest(input: SearchInput, collections: Collections): SearchRequest {
  const { collection: _, source_path: __, ...rest } = input;
  const filters = toEngineFilters(input, collections);
  if (rest.fts_only && rest.mode !== undefined && rest.mode !== "fts") {
    throw new ToolError(
      `fts_only must be omitted with mode ${JSON.stringify(rest.mode)}: it means mode "fts".`,
    );
  }
  return { ...rest, ...filters };
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
  const { document_id, source_path_prefix, metadata } = request;
  const requested = {
    tags,
    tags_any,
    tags_none,
    doc_type,
    language,
    document_id,
    source_path_prefix,
    metadata,
    since,
    until,
    per_document,
    collections,
  };
  const { tags: allTags, collections: several, source_path_prefix: source_path, ...rest } = withVisibleText({
    ...requested,
    ...applied,
  });
  const split = splitTags(allTags ?? []);
  const filters = {
    collection: unlessEmpty(several ?? []) ?? split.collection,
    tags: split.tags,
    source_path,
    ...rest,
  };
  const set = Object.entries(filters).filter(([, value]) => !isEmpty(value));
  return set.length > 0 ? Object.fromEntries(set) : undefined;
}
