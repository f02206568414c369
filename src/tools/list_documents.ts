import type { Collections } from "../collections/mod.ts";
import type { DocumentListRequest } from "../contract/mod.ts";
import { withVisibleText } from "../presentation/mod.ts";
import { type FilterArguments, toEngineFilters } from "./filter_arguments.ts";
import type { DocumentGroup, SendList } from "./list_page.ts";
import { type ListContext, type ListedDocument, presentList } from "./present_list.ts";
import { resolveTimes, toSeconds } from "./relative_time.ts";
import { resultHint } from "./result_hint.ts";

/** Arguments of a list of documents; times may be relative. */
export type ListInput =
  & FilterArguments
  & Pick<DocumentListRequest, "title" | "sort" | "order" | "group_by" | "limit" | "cursor">
  & Pick<ListContext, "maxTokens">;

/** A page of documents, or of their numbers by key. */
export interface PresentedList {
  readonly documents?: ListedDocument[];
  readonly groups?: DocumentGroup[];
  /** Number of matching documents on all pages. */
  readonly total?: number;
  readonly next_cursor?: string;
  /** Current time, to which relative times refer. */
  readonly now: string;
  readonly note?: string;
  /** Why the list is empty, or what it may lack. */
  readonly hint?: string;
  /** The index signature of an output. */
  readonly [field: string]: unknown;
}

/**
 * Lists or counts documents.
 *
 * @throws {ToolError} For a time range that is empty.
 * @throws {CollectionError} For an unknown collection, and for a `collection:` tag.
 */
export async function listDocuments(
  input: ListInput,
  { collections, now, send }: {
    readonly collections: Collections;
    readonly now: number;
    readonly send: SendList;
  },
): Promise<PresentedList> {
  const { title, sort, order, group_by, limit, maxTokens } = input;
  const { nextCursor, cursor, ...times } = resolveTimes(input, now);
  const filters = toEngineFilters({ ...input, ...times }, collections);
  const request = { ...filters, title, sort, order, group_by, limit, cursor };
  const { documents = [], groups, total, next_cursor, note } = await send(request);
  const { shortened, ...page } = groups
    ? presentGroups(groups)
    : presentList(documents, { ...request, maxTokens });
  const notes = [note, shortened].filter((text) => text !== undefined);
  const hint = await resultHint(
    { filters: { ...input, ...times }, title, cursor, isEmpty: total === 0 },
    { collections, send },
  );
  return {
    ...page,
    ...(total === undefined ? {} : { total }),
    ...(next_cursor ? { next_cursor: nextCursor(next_cursor) } : {}),
    now: toSeconds(now),
    ...(notes.length > 0 ? { note: notes.join(" ") } : {}),
    ...(hint === undefined ? {} : { hint }),
  };
}

function presentGroups(groups: readonly DocumentGroup[]): { groups: DocumentGroup[]; shortened?: string } {
  return { groups: groups.map((group) => withVisibleText(group)) };
}
