import type { documentFilters, DocumentListRequest, MetadataFilter } from "../../contract/mod.ts";
import { dateInputTime } from "../../contract/rules/mod.ts";
import { KnowledgeBaseError } from "./errors.ts";

/** Filters on documents, named as in the contract. Times are ISO 8601 in UTC with milliseconds. */
export interface DocumentFilters {
  readonly tags?: string[];
  readonly tags_any?: string[];
  readonly tags_none?: string[];
  readonly collections?: string[];
  readonly doc_type?: string;
  readonly language?: string;
  readonly source_path_prefix?: string;
  readonly metadata?: MetadataFilter;
  readonly since?: string;
  readonly until?: string;
}

/** The fields of a request that are filters. */
export type RequestedFilters = Pick<DocumentListRequest, keyof typeof documentFilters>;

/**
 * Returns the filters of a request: lists without duplicates, empty ones omitted, times normalized.
 *
 * @throws {KnowledgeBaseError} `invalid` for a `since` or `until` that is not a time in the years 0 to 9999.
 */
export function parseDocumentFilters(request: RequestedFilters): DocumentFilters {
  const { tags, tags_any, tags_none, collections, metadata = {}, since, until } = request;
  const { doc_type, language, source_path_prefix } = request;
  const lists = Object.entries({ tags, tags_any, tags_none, collections })
    .map(([name, list]) => [name, [...new Set(list ?? [])]] as const)
    .filter(([, list]) => list.length > 0);
  const texts = Object.entries({ doc_type, language, source_path_prefix })
    .filter(([, text]) => text !== undefined);
  return {
    ...Object.fromEntries(lists),
    ...Object.fromEntries(texts),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    ...(since === undefined ? {} : { since: timeBound("since", since) }),
    ...(until === undefined ? {} : { until: timeBound("until", until) }),
  };
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
