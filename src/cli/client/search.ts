import type {
  SEARCH_DETAILS,
  SEARCH_MODES,
  SEARCH_SORTS,
  SearchResponse,
  SearchResult,
} from "../../contract/mod.ts";
import { collapseSpace, oneLine, visibleText } from "../../text/mod.ts";
import { filterCollections, resultHint, sendToAnyEngine, toSearchRequest } from "../../tools/mod.ts";
import type { ClientContext } from "./client_context.ts";
import { documentLabel } from "./document_table.ts";
import { type FilterOptions, selectDocuments } from "./filters.ts";
import { parseId } from "./ids.ts";
import { highlighter } from "./highlight.ts";
import type { Output } from "./output.ts";

/** Options of `kb-mcp search`, as the parser returns them. */
export interface SearchOptions extends FilterOptions {
  readonly top?: number;
  readonly mode?: (typeof SEARCH_MODES)[number];
  readonly sort?: (typeof SEARCH_SORTS)[number];
  readonly recency?: number;
  readonly weak?: boolean;
  readonly detail?: (typeof SEARCH_DETAILS)[number];
  readonly document?: string;
  readonly perDocument?: number;
}

/** Implements `kb-mcp search`: passages, best first. */
export async function search(query: string, options: SearchOptions, context: ClientContext): Promise<void> {
  const { client, output, signal, now } = context;
  const { filters, cursor, nextCursor } = selectDocuments(options, now());
  const collections = await filterCollections(filters.collection, { ...context, engine: client });
  const { top, mode, sort, recency, weak, document, perDocument } = options;
  const document_id = document === undefined ? undefined : parseId(document);
  const request = toSearchRequest({
    query,
    ...filters,
    top,
    mode,
    sort,
    recency,
    include_weak: weak,
    detail: options.detail ?? (output.isJson ? "chunk" : "snippet"),
    document_id,
    per_document: perDocument,
    cursor,
  }, collections);
  const response = await client.search(request, { signal });
  const next = response.next_cursor ? nextCursor(response.next_cursor) : undefined;
  const hint = await resultHint({
    filters,
    query,
    cursor,
    document_id,
    shown: response.results.map(({ document_id }) => String(document_id)),
    isEmpty: response.results.length === 0 && !response.cut && cursor === undefined,
    response,
  }, { collections, send: sendToAnyEngine({ engine: client, signal }) });
  if (output.isJson) output.json({ ...response, next_cursor: next ?? null, ...(hint ? { hint } : {}) });
  else print(query, response, { next, hint }, output);
}

function print(
  query: string,
  response: SearchResponse,
  { next, hint }: { next: string | undefined; hint: string | undefined },
  output: Output,
): void {
  const { results, corrections, warning, vectors, weak_omitted, total } = response;
  const used = (corrections ?? []).map(({ used }) => used).join(" ");
  const highlight = highlighter(`${query} ${used}`, (word) => output.colors.bold(output.colors.yellow(word)));
  for (const result of results) output.lines(...describe(result, highlight, output), "");
  if (results.length === 0) output.lines(hint ?? "Nothing found.");
  const notes = [
    ...(results.length > 0 && hint !== undefined ? [hint] : []),
    ...(corrections ?? []).map(({ word, used }) =>
      `Searched for ${oneLine(used)} instead of ${oneLine(word)}.`
    ),
    ...(vectors && vectors.embedded < vectors.total
      ? [`${vectors.embedded} of ${vectors.total} passages have vectors: the others are found by words only.`]
      : []),
    ...(weak_omitted ? [`${weak_omitted} weaker results are left out: --weak shows them.`] : []),
    ...(next === undefined ? [] : [
      `${results.length}${typeof total === "number" ? ` of ${total}` : ""} results. More: --cursor ${
        oneLine(next)
      }`,
    ]),
  ];
  output.lines(...notes.map((note) => output.colors.dim(note)));
  if (warning) output.error(oneLine(warning));
}

function describe(result: SearchResult, highlight: (text: string) => string, { colors }: Output): string[] {
  const { context_before, text, context_after } = result;
  const passage = [context_before, text, context_after].filter((part) => part).join("\n");
  const place = locationOf(result);
  return [
    `${colors.cyan(String(result.document_id))}  ${colors.bold(documentLabel(result))}` +
    (place === "" ? "" : colors.dim(`  ${place}`)),
    ...visibleText(passage).split("\n").map(collapseSpace).filter((line) => line !== "")
      .map((line) => `    ${highlight(line)}`),
  ];
}

/** Returns where a passage is: heading, then page or lines, then the path of its document. */
function locationOf(
  { heading_path = [], page_start, page_end, line_start, line_end, source_path }: SearchResult,
): string {
  const place = typeof page_start === "number"
    ? range("page", page_start, page_end)
    : typeof line_start === "number"
    ? range("line", line_start, line_end)
    : "";
  return [heading_path.join(" > "), place, source_path ?? ""].filter((part) => part !== "")
    .map((part) => oneLine(part)).join(" · ");
}

/** Returns `page 4`, or `pages 4–5` if the last one differs. */
function range(unit: string, first: number, last: number | null | undefined): string {
  return typeof last === "number" && last > first ? `${unit}s ${first}–${last}` : `${unit} ${first}`;
}
