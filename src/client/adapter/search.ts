import { splitTags } from "../../collections/mod.ts";
import {
  DEFAULT_TOP,
  ENVELOPE_TOKENS,
  firstOfDocuments,
  MAX_TOP,
  presentedResult,
  type SearchRequest,
  type SearchResponse,
  type SearchResult,
} from "../../contract/mod.ts";
import { fitTokens } from "../../text/mod.ts";

/** Filters that an engine may ignore, and that can be applied to its results. */
const FILTERS = [
  "tags_any",
  "tags_none",
  "collections",
  "document_id",
  "source_path_prefix",
  "per_document",
] as const;
type Filter = (typeof FILTERS)[number];

/** Arguments of `kb_search` with another name than the contract's. */
const ARGUMENTS: Partial<Record<Filter, string>> = {
  collections: "collection",
  source_path_prefix: "source_path",
};

/** Parameters that results do not show, and what the results are like if an engine ignored one. */
const HIDDEN_FILTERS = {
  language: "the results are in any language",
  metadata: "the results are of documents with any metadata",
  sort: "the results are in the order of relevance",
  recency: "the age of documents does not count",
};
/** Values of parameters that change nothing, so that an engine may ignore them. */
const NO_EFFECT: ReadonlySet<unknown> = new Set([undefined, "relevance", 0]);

/** Flags that select a mode before contract 3.0. */
const MODE_FLAGS: Record<string, Partial<SearchRequest>> = {
  fts: { fts_only: true },
  vector: { vec_only: true },
};

/** A search, and the parts of it that the engine ignored. */
interface Emulation {
  readonly request: SearchRequest & { top: number };
  readonly ignoredFilters: readonly Filter[];
  /** Whether the mode was also sent as a flag. */
  readonly sentModeFlag: boolean;
  /** Number of results requested from the engine. */
  readonly fetched: number;
}

/**
 * Searches with any engine. An engine that does not report `filters_applied` may have ignored parameters.
 * They are emulated on its results, up to {@linkcode MAX_TOP} if the first ones do not fill the page.
 * `warning` names the limits of the emulation.
 *
 * Sends at most two requests.
 */
export async function searchAnyEngine(
  request: SearchRequest,
  sendAny: (request: SearchRequest) => Promise<SearchResponse>,
): Promise<SearchResponse> {
  const send = async (sent: SearchRequest) => limitResults(await sendAny(sent), sent.top ?? DEFAULT_TOP);
  const response = await send(request);
  const { top = DEFAULT_TOP } = request;
  const ignoredFilters = FILTERS.filter((name) =>
    request[name] !== undefined && response.filters_applied?.[name] === undefined
  );
  const modeFlag = response.filters_applied || response.mode === request.mode || request.fts_only
    ? undefined
    : MODE_FLAGS[request.mode ?? ""];
  const needsMore = ignoredFilters.length > 0 && top < MAX_TOP && response.results.length >= top;
  const fetched = needsMore ? MAX_TOP : top;
  const emulation = {
    request: { ...request, top },
    ignoredFilters,
    sentModeFlag: modeFlag !== undefined,
    fetched,
  };
  if (!needsMore && !modeFlag) return emulate(emulation, response);
  return emulate(emulation, await send({ ...request, ...modeFlag, top: fetched }));
}

/**
 * Drops what an engine that ignores `top` returned beyond it, and its cursor, which would skip the dropped
 * results.
 */
function limitResults(response: SearchResponse, top: number): SearchResponse {
  if (response.results.length <= top) return response;
  const { next_cursor: _, ...rest } = response;
  return { ...rest, results: response.results.slice(0, top) };
}

function emulate(emulation: Emulation, response: SearchResponse): SearchResponse {
  const filtered = reportHiddenFilters(emulation.request, emulateFilters(emulation, response));
  if (response.filters_applied) return filtered;
  const { request } = emulation;
  const warning = joinSentences(filtered.warning, warnings(emulation, response));
  return emulateBudget(request, {
    ...filtered,
    results: emulateDetail(request, filtered.results),
    ...(warning === "" ? {} : { warning }),
  });
}

/** Warns that the engine has ignored a filter that cannot be applied to its results. */
function reportHiddenFilters(request: SearchRequest, response: SearchResponse): SearchResponse {
  const names = Object.keys(HIDDEN_FILTERS) as (keyof typeof HIDDEN_FILTERS)[];
  const ignored = names.filter((name) =>
    !NO_EFFECT.has(request[name]) && response.filters_applied?.[name] === undefined
  );
  if (ignored.length === 0) return response;
  const warnings = ignored.map((name) => `The engine does not support ${name}: ${HIDDEN_FILTERS[name]}.`);
  return { ...response, warning: joinSentences(response.warning, warnings) };
}

/** Appends sentences to a text of the engine, which may lack its full stop. */
function joinSentences(text: string | null | undefined, sentences: readonly string[]): string {
  if (!text) return sentences.join(" ");
  return [sentences.length === 0 || /[.!?]$/.test(text) ? text : `${text}.`, ...sentences].join(" ");
}

function emulateFilters(
  { request, ignoredFilters, fetched }: Emulation,
  response: SearchResponse,
): SearchResponse {
  if (ignoredFilters.length === 0) return response;
  // The engine's total counts results that are filtered out here. Its cursor continues after all fetched
  // results, which is the next page only if no more than a page was fetched.
  const { total: _, next_cursor, ...rest } = response;
  const results = ignoredFilters.reduce(
    (kept, name) => kept.filter(predicate(name, request)),
    response.results,
  );
  const mayHaveMissed = results.length < request.top && response.results.length >= fetched;
  const names = ignoredFilters.map((name) => ARGUMENTS[name] ?? name).join(", ");
  const warning = `The engine does not support ${names}: only its best ${fetched} results were filtered.`;
  return {
    ...rest,
    ...(fetched === request.top && next_cursor !== undefined ? { next_cursor } : {}),
    results: results.slice(0, request.top),
    ...(mayHaveMissed
      ? { warning: [...(response.warning ? [response.warning] : []), warning].join(" ") }
      : {}),
  };
}

/** Returns a predicate for a single pass over the results: `per_document` counts. */
function predicate(filter: Filter, request: SearchRequest): (result: SearchResult) => boolean {
  const { tags_any = [], tags_none = [], collections = [], per_document = MAX_TOP } = request;
  const { document_id: id, source_path_prefix = "" } = request;
  switch (filter) {
    case "tags_any":
      return ({ tags }) => tags_any.some((tag) => tags.includes(tag));
    case "tags_none":
      return ({ tags }) => !tags_none.some((tag) => tags.includes(tag));
    case "collections":
      return ({ tags }) => collections.includes(splitTags(tags).collection ?? "");
    case "document_id":
      return ({ document_id }) => String(document_id) === String(id);
    case "source_path_prefix":
      return ({ source_path }) => source_path?.startsWith(source_path_prefix) ?? false;
    case "per_document": {
      const counts = new Map<string, number>();
      return ({ document_id }) => {
        const count = (counts.get(String(document_id)) ?? 0) + 1;
        counts.set(String(document_id), count);
        return count <= per_document;
      };
    }
  }
}

/** Before contract 3.0, the snippet is a field next to the text. */
function emulateDetail({ detail }: SearchRequest, results: SearchResult[]): SearchResult[] {
  if (detail !== "snippet") return results;
  return results.map((result) => ({ ...result, text: result.snippet || result.text }));
}

/**
 * A page that is cut here has no cursor, because the engine's cursor would skip the results that were left
 * out.
 */
function emulateBudget({ max_tokens }: SearchRequest, response: SearchResponse): SearchResponse {
  if (max_tokens === undefined) return response;
  const isFirst = firstOfDocuments(response.results);
  const { results, omitted, isTextCut, isContextCut } = fitTokens(response.results, {
    maxTokens: max_tokens - ENVELOPE_TOKENS,
    counted: (result, index) => presentedResult(result, { isFirst: isFirst[index] ?? true }),
  });
  const { cut: _, next_cursor, ...rest } = response;
  if (omitted === 0 && !isTextCut && !isContextCut) return { ...rest, results, next_cursor };
  return {
    ...rest,
    results,
    cut: { omitted, text_cut: isTextCut, ...(isContextCut ? { context_cut: true } : {}) },
    ...(omitted === 0 ? { next_cursor } : {}),
  };
}

/** Returns a warning for each other parameter that the engine seems to have ignored. */
function warnings(
  { request, sentModeFlag }: Emulation,
  { mode, results, next_cursor }: SearchResponse,
): string[] {
  const has = (name: keyof SearchResult) => results.some((result) => typeof result[name] === "string");
  const any = results.length > 0;
  const isOtherMode = request.mode !== undefined && mode !== request.mode && !(sentModeFlag && !mode);
  return [
    ...(isOtherMode
      ? [`The engine does not support mode ${JSON.stringify(request.mode)}: it used its own mode.`]
      : []),
    ...(request.cursor !== undefined && next_cursor === undefined
      ? ["The engine does not support cursor: this is the first page again."]
      : []),
    ...(request.detail === "context" && any && !has("context_before") && !has("context_after")
      ? ["The engine does not support detail context: read around a result with kb_get."]
      : []),
    ...(request.detail === "snippet" && any && !has("snippet")
      ? ["The engine does not support detail snippet: each text is the whole chunk."]
      : []),
  ];
}
