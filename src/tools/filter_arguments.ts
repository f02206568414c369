import { checkCallerTags, type Collections, collectionTag } from "../collections/mod.ts";
import { dateInputTime, type documentFilters, type DocumentListRequest } from "../contract/mod.ts";
import { readList } from "./read_value.ts";
import { ToolError } from "./tool.ts";

/** Filters on documents in the engine's terms. */
export type RequestedFilters = Pick<DocumentListRequest, keyof typeof documentFilters>;

/** Filters on documents as arguments of a tool, with absolute times. */
export interface FilterArguments extends Omit<RequestedFilters, "collections" | "source_path_prefix"> {
  /** One collection, or several: a document must be in one of them. */
  readonly collection?: string | readonly string[] | undefined;
  /** Start of the path. */
  readonly source_path?: string | undefined;
}

/**
 * Converts filters to the engine's. A single collection becomes another required tag (decision D2), which every
 * engine supports; several have a field of their own.
 *
 * @throws {ToolError} For a time range that is empty.
 * @throws {CollectionError} For an unknown collection, and for a `collection:` tag.
 */
export function toEngineFilters(input: FilterArguments, collections: Collections): RequestedFilters {
  const { collection, tags, tags_any, tags_none, doc_type, language, source_path, metadata, since, until } =
    input;
  checkTimeRange(input);
  const names = collectionNames(collection, collections);
  const hasSeveral = names.length > 1;
  return {
    tags: unlessEmpty([...(hasSeveral ? [] : names.map(collectionTag)), ...checkCallerTags(tags ?? [])]),
    tags_any: unlessEmpty(checkCallerTags(tags_any ?? [], "tags_any")),
    tags_none: unlessEmpty(checkCallerTags(tags_none ?? [], "tags_none")),
    collections: hasSeveral ? names : undefined,
    doc_type: doc_type?.toLowerCase(),
    language: language?.split(/[-_]/)[0]?.toLowerCase(),
    source_path_prefix: source_path,
    metadata,
    since,
    until,
  };
}

/** Returns the names in a filter. One text may hold several, as a list that models wrote as text. */
export function namedCollections(
  collection: NonNullable<FilterArguments["collection"]>,
  { names }: Pick<Collections, "names">,
): string[] {
  const isName = typeof collection !== "string" || names.includes(collection);
  const given = (isName ? undefined : readList(collection)) ?? [collection].flat();
  return [...new Set(given.map(String))];
}

/** Checks the names in a filter. */
function collectionNames(collection: FilterArguments["collection"], collections: Collections): string[] {
  if (collection === undefined) return [];
  const named = namedCollections(collection, collections);
  const all = named.find((name) => (name === "*" || name === "all") && !collections.names.includes(name));
  if (named.length === 0 || all !== undefined) {
    const got = all === undefined ? "an empty list" : JSON.stringify(all);
    throw new ToolError(`collection must name a collection, got ${got}: omit it to search all.`);
  }
  return named.map((name) => collections.check(name));
}

/** Rejects an empty time range, because its empty result would look like missing knowledge. */
function checkTimeRange({ since, until }: Pick<FilterArguments, "since" | "until">): void {
  if (since === undefined || until === undefined) return;
  if (dateInputTime(since, "since") <= dateInputTime(until, "until")) return;
  throw new ToolError(
    `since must not be later than until, got since ${JSON.stringify(since)} and until ` +
      `${JSON.stringify(until)}: swap them or omit one.`,
  );
}

/** Returns the list, or undefined if it is empty. */
export function unlessEmpty<T>(list: T[]): T[] | undefined {
  return list.length > 0 ? list : undefined;
}
