import type { EngineClient } from "../client/mod.ts";
import { splitTags } from "../collections/mod.ts";
import { MAX_TOP, type SearchRequest, type SearchResponse, type SearchResult } from "../contract/mod.ts";

/** Filters that an engine from elsewhere may not know, and that can be applied to what it answers. */
const FILTERS = ["tags_any", "tags_none", "collections", "per_document"] as const;
type Filter = (typeof FILTERS)[number];

/** Modes in the words of engines that know none. */
const OLD_WORDS: Record<string, Partial<SearchRequest>> = {
  fts: { fts_only: true },
  vector: { vec_only: true },
};

/** How a search is made, and what of the request had to be done here. */
interface Asked {
  readonly request: SearchRequest & { top: number };
  /** Filters that the engine did not apply. */
  readonly ignored: readonly Filter[];
  /** Whether the engine was asked in old words too. */
  readonly oldWords: boolean;
}

/**
 * Searches with any engine. One from elsewhere may ignore what it does not know, and then says nothing of the filters that it
 * applied: they are applied here, to the best {@linkcode MAX_TOP} results if the first ones do not fill the page, and
 * `warning` says what is missing from the answer.
 *
 * At most two requests. `max_tokens` is left to the caller, who knows what of a result is shown.
 *
 * @throws {EngineError} For what went wrong at the engine.
 */
export async function searchAnyEngine(
  engine: EngineClient,
  request: SearchRequest & { top: number },
  signal: AbortSignal,
): Promise<SearchResponse> {
  const first = await engine.search(request, { signal });
  const ignored = FILTERS.filter((name) =>
    request[name] !== undefined && first.filters_applied?.[name] === undefined
  );
  const words = first.filters_applied || first.mode === request.mode || request.fts_only
    ? undefined
    : OLD_WORDS[request.mode ?? ""];
  const more = ignored.length > 0 && request.top < MAX_TOP && first.results.length >= request.top;
  if (!more && !words) return finished({ request, ignored, oldWords: false }, request.top, first);
  const top = more ? MAX_TOP : request.top;
  const second = await engine.search({ ...request, ...words, top }, { signal });
  return finished({ request, ignored, oldWords: words !== undefined }, top, second);
}

/** @param top How many results the engine was asked for. */
function finished(asked: Asked, top: number, answer: SearchResponse): SearchResponse {
  const { request, ignored } = asked;
  const warnings = answer.filters_applied ? [] : missing(asked, answer);
  let results = answer.filters_applied ? answer.results : withDetail(request, answer.results);
  // Places of a page and counts of the engine are not those of what is left here.
  const { total, next_cursor, ...rest } = answer;
  if (ignored.length > 0) {
    results = ignored.reduce((kept, name) => kept.filter(passes(name, request)), results);
    if (results.length < request.top && answer.results.length >= top) warnings.push(notAllSeen(ignored, top));
    results = results.slice(0, request.top);
  }
  const warning = [...(answer.warning ? [answer.warning] : []), ...warnings].join(" ");
  return {
    ...rest,
    ...(ignored.length > 0 ? {} : { total, next_cursor }),
    results,
    warning: warning === "" ? undefined : warning,
  };
}

/** A predicate for one search: it counts. */
function passes(filter: Filter, request: SearchRequest): (result: SearchResult) => boolean {
  const { tags_any = [], tags_none = [], collections = [], per_document = MAX_TOP } = request;
  switch (filter) {
    case "tags_any":
      return ({ tags }) => tags_any.some((tag) => tags.includes(tag));
    case "tags_none":
      return ({ tags }) => !tags_none.some((tag) => tags.includes(tag));
    case "collections":
      return ({ tags }) => collections.includes(splitTags(tags).collection ?? "");
    case "per_document": {
      const seen = new Map<string, number>();
      return ({ document_id }) => {
        const count = (seen.get(String(document_id)) ?? 0) + 1;
        seen.set(String(document_id), count);
        return count <= per_document;
      };
    }
  }
}

/** An engine of the contract before gives the snippet beside the text. */
function withDetail({ detail }: SearchRequest, results: SearchResult[]): SearchResult[] {
  if (detail !== "snippet") return results;
  return results.map((result) => ({ ...result, text: result.snippet || result.text }));
}

/** What the request asked for and an engine that says nothing of it has not done, as far as its answer shows. */
function missing({ request, oldWords }: Asked, answer: SearchResponse): string[] {
  const { mode, detail, cursor } = request;
  const has = (name: keyof SearchResult) => answer.results.some((result) => typeof result[name] === "string");
  const any = answer.results.length > 0;
  const isOwnMode = mode !== undefined && answer.mode !== mode && !(oldWords && !answer.mode);
  return [
    ...(isOwnMode ? [`The engine does not know mode ${JSON.stringify(mode)}: it searched its own way.`] : []),
    ...(cursor !== undefined && answer.next_cursor === undefined
      ? ["The engine does not know cursor: this is the first page again."]
      : []),
    ...(detail === "context" && any && !has("context_before") && !has("context_after")
      ? ["The engine does not know detail context: read on around a result with kb_get."]
      : []),
    ...(detail === "snippet" && any && !has("snippet")
      ? ["The engine does not know detail snippet: each text is the whole chunk."]
      : []),
  ];
}

function notAllSeen(filters: readonly Filter[], top: number): string {
  const names = filters.map((name) => name === "collections" ? "collection" : name).join(", ");
  return `The engine does not know ${names}: only its best ${top} results were looked through.`;
}
