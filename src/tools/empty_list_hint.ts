import { collectionTag, splitTags } from "../collections/mod.ts";
import { EngineError } from "../client/mod.ts";
import type { DOCUMENT_GROUPS, DocumentListRequest } from "../contract/mod.ts";
import { closestName, lazy, oneLine, quoteText } from "../text/mod.ts";
import type { RequestedFilters } from "./filter_arguments.ts";
import type { SendList } from "./list_page.ts";

/** Maximum number of existing values to name. */
const MAX_NAMED = 10;
/** Maximum number of tags to look up one by one: each takes a request to the engine. */
const MAX_TAGS = 10;
/** Maximum number of filters to name. */
const MAX_REASONS = 3;
/** Number of groups and documents that existing values are taken from. */
const SAMPLE = 200;

/** Filters on documents, with the words of a title. */
export type ListFilters = RequestedFilters & Pick<DocumentListRequest, "title">;

/** A filter, what to say if no document passes it alone, and the values that documents have. */
interface Condition {
  readonly filters: ListFilters;
  readonly problem: string;
  readonly alternatives?: () => Promise<string | undefined>;
}

/**
 * Returns why no document passes filters, for the caller of an empty list or search: a filter that no document passes
 * by itself, with values that exist, such as a tag in another case. The caller would take the empty result for missing
 * knowledge.
 *
 * @returns Undefined if documents pass the filters, and if the engine cannot tell: a hint must not fail the call.
 */
export async function emptyListHint(filters: ListFilters, send: SendList): Promise<string | undefined> {
  try {
    return await explain(filters, send);
  } catch (error) {
    if (error instanceof EngineError && error.code !== "cancelled") return undefined;
    throw error;
  }
}

async function explain(filters: ListFilters, send: SendList): Promise<string | undefined> {
  if (!await isEmpty(filters, send)) return undefined;
  const conditions = conditionsOf(filters, send);
  if (conditions.length === 0 || await isEmpty({}, send)) return "There are no documents yet.";
  const reasons: string[] = [];
  for (const { filters, problem, alternatives } of conditions) {
    if (reasons.length === MAX_REASONS) break;
    if (!await isEmpty(filters, send)) continue;
    const others = await alternatives?.();
    reasons.push(others === undefined ? `${problem}.` : `${problem}. ${others}`);
  }
  return reasons.length > 0
    ? reasons.join(" ")
    : "Each filter matches documents, but no document passes all.";
}

/** Whether no document passes filters; false from an engine that cannot apply them. */
async function isEmpty(filters: ListFilters, send: SendList): Promise<boolean> {
  const { total, note } = await send({ ...filters, limit: 1 });
  return total === 0 && note === undefined;
}

function conditionsOf(filters: ListFilters, send: SendList): Condition[] {
  const { tags = [], tags_any, tags_none, collections, doc_type, language, metadata, since, until, title } =
    filters;
  const { source_path_prefix } = filters;
  const { collection, tags: others } = splitTags(tags);
  const tagNames = lazy(() => keys("tag", send));
  const conditions: (Condition | false | undefined)[] = [
    collection !== null && {
      filters: { tags: [collectionTag(collection)] },
      problem: `The collection ${quoteText(collection)} has no documents yet`,
    },
    others.length > MAX_TAGS && { filters: { tags: others }, problem: "No document has all of these tags" },
    ...others.slice(0, others.length > MAX_TAGS ? 0 : MAX_TAGS).map((tag) => ({
      filters: { tags: [tag] },
      problem: `No document has the tag ${quoteText(tag)}`,
      alternatives: async () => suggest("Tags", [tag], await tagNames()),
    })),
    collections && { filters: { collections }, problem: "These collections have no documents yet" },
    tags_any && {
      filters: { tags_any },
      problem: `No document has one of the tags ${first(tags_any.map((tag) => quoteText(tag))).join(", ")}`,
      alternatives: async () => suggest("Tags", tags_any, await tagNames()),
    },
    tags_none && { filters: { tags_none }, problem: "All documents have one of the excluded tags" },
    doc_type !== undefined && {
      filters: { doc_type },
      problem: `No document has the type ${quoteText(doc_type)}`,
      alternatives: async () => suggest("Types", [doc_type], await keys("kind", send)),
    },
    language !== undefined && {
      filters: { language },
      problem: `No document has the language ${quoteText(language)}`,
    },
    source_path_prefix !== undefined && {
      filters: { source_path_prefix },
      problem: `No path starts with ${quoteText(source_path_prefix)}`,
      alternatives: () => pathStarts(send),
    },
    metadata &&
    {
      filters: { metadata },
      problem: "No document's metadata match: values are compared exactly, with case",
    },
    (since !== undefined || until !== undefined) && {
      filters: { since, until },
      problem: "No document was added or changed in this time",
    },
    title !== undefined &&
    { filters: { title }, problem: `No title or file name has the words ${quoteText(title)}` },
  ];
  return conditions.filter((condition) => typeof condition === "object");
}

/** Names values that were probably meant, or else the most frequent ones. */
function suggest(
  name: string,
  wanted: readonly string[],
  values: readonly string[],
): string | undefined {
  const folded = values.map((value) => value.toLowerCase());
  const near = wanted.flatMap((value) => {
    const closest = closestName(value.toLowerCase(), folded);
    return values.filter((_, at) => folded[at] === closest);
  });
  if (near.length > 0) return `Did you mean ${shown(near).join(" or ")}?`;
  return values.length === 0 ? undefined : `${name}: ${shown(values).join(", ")}.`;
}

/** Returns the folders at the top of the paths of the newest and the oldest documents: an import hides all before it. */
async function pathStarts(send: SendList): Promise<string | undefined> {
  const lists = await Promise.all(
    (["desc", "asc"] as const).map((order) => send({ sort: "created", order, limit: SAMPLE })),
  );
  const starts = lists.flatMap(({ documents = [] }) => documents)
    .flatMap(({ source_path }) => source_path?.match(/^[^/]+\//)?.[0] ?? []);
  if (starts.length === 0) return undefined;
  const others = lists.some(({ next_cursor }) => next_cursor) ? ", and maybe others" : "";
  return `Paths start with ${shown(starts).join(", ")}${others}.`;
}

async function keys(group_by: (typeof DOCUMENT_GROUPS)[number], send: SendList): Promise<string[]> {
  const { groups = [] } = await send({ group_by, limit: SAMPLE });
  return groups.flatMap(({ key }) => key ?? []);
}

/** Quotes the first values; documents and their writers chose them. */
function shown(values: readonly string[]): string[] {
  return first([...new Set(values)].map((value) => quoteText(oneLine(value, 60))));
}

/** Returns the first texts, and the number of others. */
function first(texts: readonly string[]): string[] {
  const others = texts.length - MAX_NAMED;
  return [...texts.slice(0, MAX_NAMED), ...(others > 0 ? [`and ${others} more`] : [])];
}
