import type { Collections } from "../collections/mod.ts";
import type { SearchRequest, SearchResponse } from "../contract/mod.ts";
import { lazy, oneLine, quoteText } from "../text/mod.ts";
import { emptyListHint } from "./empty_list_hint.ts";
import { fileNameHint } from "./file_name_hint.ts";
import { type FilterArguments, toEngineFilters } from "./filter_arguments.ts";
import type { SendList } from "./list_page.ts";
import { tagCaseHint } from "./tag_case_hint.ts";

/** A page of a search or a list, with its request. */
export interface HintedPage extends Partial<Pick<SearchRequest, "query" | "cursor" | "document_id">> {
  readonly filters: FilterArguments;
  /** Words of the title of a list. */
  readonly title?: string | undefined;
  /** Ids of the documents of results. */
  readonly shown?: readonly string[];
  /** Whether the request has no results, on any page. */
  readonly isEmpty: boolean;
  /** Response of a search. */
  readonly response?: Pick<SearchResponse, "only_similar" | "unknown_words">;
}

const ONLY_SIMILAR =
  "No searched text contains a word of the query: these are only the nearest in meaning, so check that they answer it.";

/**
 * Returns what the caller of a search or a list should know about its results: documents with a file name of the query,
 * why there are none, tags that differ by case, and words of the query that no text has. On further pages and inside a
 * document, only the latter.
 *
 * @returns Undefined if there is nothing to say.
 */
export async function resultHint(
  { filters, title, query, cursor, document_id, shown = [], isEmpty, response }: HintedPage,
  { collections, send }: { readonly collections: Collections; readonly send: SendList },
): Promise<string | undefined> {
  const isWhole = cursor === undefined && document_id === undefined;
  const requested = lazy(() => toEngineFilters(filters, collections));
  const named = isWhole && query !== undefined
    ? await fileNameHint(query, shown, { filters: requested, send })
    : undefined;
  if (named !== undefined) return named;
  if (isEmpty) return await emptyListHint({ ...requested(), title }, send);
  return (isWhole ? await tagCaseHint(filters, send) : undefined) ??
    aboutWords(response);
}

/** Says which words of a query no text has. */
function aboutWords({ only_similar, unknown_words }: HintedPage["response"] = {}): string | undefined {
  if (only_similar) return ONLY_SIMILAR;
  if (!unknown_words || unknown_words.length === 0) return undefined;
  return `No text contains ${unknown_words.map((word) => quoteText(oneLine(word, 60))).join(" or ")}.`;
}
