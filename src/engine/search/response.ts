import type { SearchResponse, SearchResult } from "../../contract/mod.ts";
import { ENVELOPE_TOKENS } from "../../contract/rules/mod.ts";
import { estimateTokens, type FittedResults } from "../../text/mod.ts";
import { encodeCursor } from "../knowledge_base/mod.ts";
import { fitResults } from "./budget.ts";
import { type Correction, reportCorrections } from "./corrections.ts";
import { reportFilters } from "./filters.ts";
import { nextOffset, type SearchPage } from "./page.ts";
import type { SearchMode, SearchPlan } from "./plan.ts";
import { type RankedChunk, toSearchResult } from "./result.ts";
import { snippetCutter } from "./snippet.ts";

/** A search that has run, and the chunks of the page to return. */
export interface CompletedSearch {
  readonly plan: SearchPlan;
  /** Mode in which the search has run. */
  readonly mode: SearchMode;
  readonly page: SearchPage;
  /** Chunks of the page. Those deleted after ranking are missing. */
  readonly chunks: readonly RankedChunk[];
  /** Spelling corrections of a ranking by terms; undefined without one. */
  readonly corrections?: readonly Correction[] | undefined;
  /** Words of the query that no text contains. */
  readonly unknownWords?: readonly string[] | undefined;
  /** Warnings of the plan and of the rankings. */
  readonly warnings: readonly string[];
  /** Whether the results are of the vectors alone, although the search was by terms, too. */
  readonly isOnlySimilar: boolean;
  /** Number of chunks with a vector, and of all chunks; undefined without an embedding model. */
  readonly vectors?: { readonly embedded: number; readonly total: number } | undefined;
  /** Date such as `2026-03-31`. */
  readonly today: string;
  /** Returns the weight of a stem in snippets. */
  readonly idf: (stem: string) => number;
}

const UNQUOTE_HINT =
  "No chunk contains all of the quoted words verbatim: remove quotation marks to search for each word.";

/** Builds the response: results within the token budget, next cursor, warnings, corrections, filters. */
export function buildResponse(search: CompletedSearch): SearchResponse {
  const { plan: { request, query, filters, searchId }, mode, page, vectors } = search;
  const correctedTerms = (search.corrections ?? []).map(({ term }) => ({ words: [term], weight: 1 }));
  const cutSnippet = snippetCutter([...query.terms, ...correctedTerms], search.idf);
  const { detail, snippets: hasSnippet = true } = request;
  const all = search.chunks.map((chunk) => toSearchResult(chunk, { detail, hasSnippet, cutSnippet }));
  const isPhraseUnmatched = page.total === 0 && query.phrases.length > 0;
  const warning = [...search.warnings, ...(isPhraseUnmatched ? [UNQUOTE_HINT] : [])].join(" ");
  const corrections = search.corrections
    ? reportCorrections(search.corrections, { results: all, terms: query.terms })
    : [];
  const unknownWords = page.total > 0 ? search.unknownWords ?? [] : [];
  const notices = warning + JSON.stringify(corrections) + unknownWords.join(" ");
  const fitted = request.max_tokens === undefined ? undefined : fitResults(all, {
    maxTokens: request.max_tokens - ENVELOPE_TOKENS - estimateTokens(notices),
    today: search.today,
    shorten: (text, chars, index) =>
      cutSnippet(text, { chars, languages: search.chunks[index]?.stemmed_languages ?? [] }),
  });
  const results = fitted?.results ?? all;
  const next = nextOffset(page, search.chunks[results.length]?.chunk_id);
  return {
    mode,
    results,
    total: page.total,
    next_cursor: next === undefined ? null : encodeCursor([searchId, next, mode]),
    ...(warning === "" ? {} : { warning }),
    ...(corrections.length > 0 ? { corrections } : {}),
    ...(unknownWords.length > 0 ? { unknown_words: [...unknownWords] } : {}),
    ...(fitted ? reportCut(fitted) : {}),
    filters_applied: {
      ...reportFilters(filters, request),
      ...(query.phrases.length > 0 ? { phrases: query.phrases.map(({ text }) => text) } : {}),
      ...(query.exclusions.length > 0 ? { excluded: query.exclusions.map(({ text }) => text) } : {}),
    },
    ...(page.weak > 0 ? { weak_omitted: page.weak } : {}),
    ...(search.isOnlySimilar ? { only_similar: true } : {}),
    ...(vectors ? { vectors } : {}),
  };
}

function reportCut({ omitted, isTextCut, isContextCut }: FittedResults<SearchResult>) {
  if (omitted === 0 && !isTextCut && !isContextCut) return {};
  return { cut: { omitted, text_cut: isTextCut, ...(isContextCut ? { context_cut: true } : {}) } };
}
