import { dateInputTime, type FiltersApplied, type SearchRequest } from "../../contract/mod.ts";
import { KnowledgeBaseError } from "../knowledge_base/mod.ts";

/** Document filters of a search, named as in the contract. Times are ISO 8601 in UTC with milliseconds. */
export interface SearchFilters {
  readonly tags?: string[];
  readonly tags_any?: string[];
  readonly tags_none?: string[];
  readonly collections?: string[];
  readonly doc_type?: string;
  readonly language?: string;
  readonly since?: string;
  readonly until?: string;
}

/**
 * Returns the filters of a request: lists without duplicates, empty ones omitted, times normalized.
 *
 * @throws {KnowledgeBaseError} `invalid` for a `since` or `until` that is not a time in the years 0 to 9999.
 */
export function parseFilters(request: SearchRequest): SearchFilters {
  const { tags, tags_any, tags_none, collections, doc_type, language, since, until } = request;
  const lists = Object.entries({ tags, tags_any, tags_none, collections })
    .map(([name, list]) => [name, [...new Set(list ?? [])]] as const)
    .filter(([, list]) => list.length > 0);
  return {
    ...Object.fromEntries(lists),
    ...(doc_type === undefined ? {} : { doc_type }),
    ...(language === undefined ? {} : { language }),
    ...(since === undefined ? {} : { since: timeBound("since", since) }),
    ...(until === undefined ? {} : { until: timeBound("until", until) }),
  };
}

/** Returns the filters as the response reports them. */
export function reportFilters(filters: SearchFilters, { per_document }: SearchRequest): FiltersApplied {
  return { ...filters, ...(per_document === undefined ? {} : { per_document }) };
}

/** Converts a date or time to the format of stored times, which sorts as text. */
function timeBound(name: "since" | "until", input: string): string {
  const time = new Date(dateInputTime(input, name));
  if (Number.isNaN(time.getTime()) || time.getUTCFullYear() < 0 || time.getUTCFullYear() > 9999) {
    throw new KnowledgeBaseError(
      "invalid",
      `${name} must be a date such as 2026-03-31 or a time such as 2026-03-31T09:00:00Z, got ${
        JSON.stringify(input.slice(0, 60))
      }`,
    );
  }
  return time.toISOString();
}
