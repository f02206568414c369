import type { FiltersApplied, Id, SearchRequest } from "../../contract/mod.ts";
import { type DocumentFilters, parseDocumentFilters } from "../knowledge_base/mod.ts";

/** Filters of a search, named as in the contract. */
export interface SearchFilters extends DocumentFilters {
  readonly document_id?: Id;
}

/**
 * Returns the filters of a request: lists without duplicates, empty ones omitted, times normalized.
 *
 * @throws {KnowledgeBaseError} `invalid` for a `since` or `until` that is not a time in the years 0 to 9999.
 */
export function parseFilters(request: SearchRequest): SearchFilters {
  const { document_id } = request;
  return { ...parseDocumentFilters(request), ...(document_id === undefined ? {} : { document_id }) };
}

/** Returns the filters as the response reports them. */
export function reportFilters(
  filters: SearchFilters,
  { per_document, sort, recency }: SearchRequest,
): FiltersApplied {
  return {
    ...filters,
    ...(per_document === undefined ? {} : { per_document }),
    ...(sort === "recent" ? { sort } : {}),
    ...(recency ? { recency } : {}),
  };
}
