import { createHash } from "node:crypto";
import type * as z from "zod";
import type { SEARCH_MODES, SearchRequest } from "../../contract/mod.ts";
import { DEFAULT_TOP } from "../../contract/rules/mod.ts";
import { quoteText } from "../../text/mod.ts";
import { decodeSearchCursor, KnowledgeBaseError } from "../knowledge_base/mod.ts";
import { parseFilters, type SearchFilters } from "./filters.ts";
import { type ParsedQuery, parseQuery, unquotePhrases } from "./query.ts";
import { withForms } from "./query_forms.ts";
import type { Phrase } from "./query_terms.ts";
import type { WordForms } from "./word_forms.ts";

/** Ranking of a search: by terms and vectors, by terms, or by vectors. */
export type SearchMode = (typeof SEARCH_MODES)[number];

/** A search to run. Every back end starts with it. */
export interface SearchPlan {
  /** Request with defaults. */
  readonly request: z.output<typeof SearchRequest>;
  readonly query: ParsedQuery;
  readonly filters: SearchFilters;
  /** Mode to run in. Falls back to full text if the vectors are unavailable. */
  readonly mode: SearchMode;
  /** Identifies the search: a cursor is valid for one search only. */
  readonly searchId: string;
  /** Number of results on previous pages. */
  readonly offset: number;
  /** Explains how the plan differs from the request. */
  readonly warnings: readonly string[];
}

const ONLY_EXCLUSIONS =
  "The query has exclusions only, so that they were searched for as words: add words that results should contain.";

/**
 * Plans a search.
 *
 * @param options.hasVectors Whether there is an embedding model.
 * @throws {KnowledgeBaseError} `invalid` for conflicting modes, vectors without an embedding model, an
 * invalid time, or a cursor of another search.
 *
 * @example
 * ```ts
 * import { planSearch } from "./plan.ts";
 * import { assertEquals } from "@std/assert";
 * const { mode, offset, query } = planSearch({ query: "kettle -tea" }, { hasVectors: true });
 * assertEquals([mode, offset, query.text], ["hybrid", 0, "kettle"]);
 * ```
 */
export function planSearch(
  input: SearchRequest,
  { hasVectors }: { readonly hasVectors: boolean },
): SearchPlan {
  const request = { ...input, top: input.top ?? DEFAULT_TOP, detail: input.detail ?? "chunk" };
  const requested = requestedMode(request, hasVectors);
  const warnings = [];
  if (requested === "hybrid" && !hasVectors) {
    warnings.push(
      "Searched full text only: this engine has no embedding model (KB_EMBEDDINGS_MODEL is off).",
    );
  }
  const available = hasVectors ? requested : "fts";
  const filters = parseFilters(request);
  const searchId = searchIdOf(request, filters, available);
  const [offset, previousMode] = request.cursor === undefined
    ? [0, available]
    : decodeSearchCursor(request.cursor, searchId);
  // All pages are of one ranking, even if the embedding model is available again.
  const mode = previousMode === "fts" ? "fts" : available;
  if (mode !== available) warnings.push("Searched full text only, as on the previous page.");
  const query = parseQuery(request.query);
  if (query.hadOnlyExclusions) warnings.push(ONLY_EXCLUSIONS);
  return { request, query, filters, mode, searchId, offset, warnings };
}

/** Returns a plan that searches for the words of some quoted phrases, with a warning that names them. */
export function planWithoutPhrases(plan: SearchPlan, phrases: readonly Phrase[]): SearchPlan {
  if (phrases.length === 0) return plan;
  const quoted = phrases.map(({ text }) => quoteText(text)).join(" or ");
  const warning =
    `No searched text contains ${quoted} verbatim, so that the words were searched for one by one.`;
  return { ...plan, query: unquotePhrases(plan.query, phrases), warnings: [...plan.warnings, warning] };
}

/** Returns a plan without the operators on some phrases of frequent words, with a warning that names them. */
export function planWithoutFrequentPhrases(plan: SearchPlan, phrases: readonly Phrase[]): SearchPlan {
  if (phrases.length === 0) return plan;
  const quoted = phrases.map(({ text }) => quoteText(text)).join(" or ");
  const warning = `Did not check for ${quoted}: too many texts contain these words. Quote rarer words.`;
  const isFrequent = ({ words }: Phrase) => phrases.some((each) => each.words === words);
  return {
    ...plan,
    query: unquotePhrases(plan.query, plan.query.phrases.filter(isFrequent)),
    warnings: [...plan.warnings, warning],
  };
}

/** Returns a plan with the forms of its words in the languages of the store. */
export function planWithForms(plan: SearchPlan, forms: WordForms): SearchPlan {
  const query = withForms(plan.query, forms);
  return query === plan.query ? plan : { ...plan, query };
}

/**
 * Returns the requested mode. `mode: "hybrid"` does not require an embedding model.
 *
 * @throws {KnowledgeBaseError} `invalid` for conflicting modes, or vectors without an embedding model.
 */
export function requestedMode({ mode, fts_only, vec_only }: SearchRequest, hasVectors: boolean): SearchMode {
  if (fts_only && vec_only) {
    throw new KnowledgeBaseError("invalid", "fts_only and vec_only must not both be true: use mode");
  }
  const only = fts_only ? "fts" : vec_only ? "vector" : undefined;
  if (mode !== undefined && only !== undefined && mode !== only) {
    throw new KnowledgeBaseError(
      "invalid",
      `mode must be ${only}, or ${only}_only must be left out, got ${JSON.stringify(mode)}`,
    );
  }
  const requested = mode ?? only ?? (hasVectors ? "hybrid" : "fts");
  if (requested === "vector" && !hasVectors) {
    const parameter = vec_only ? "vec_only" : 'mode "vector"';
    throw new KnowledgeBaseError(
      "invalid",
      `${parameter} requires an embedding model, which this engine does not have: leave it out to search full text, or ` +
        "unset KB_EMBEDDINGS_MODEL=off",
    );
  }
  return requested;
}

function searchIdOf(request: SearchRequest, filters: SearchFilters, mode: SearchMode): string {
  const { query, per_document, sort, recency, include_weak } = request;
  const identity = [query, mode, per_document, sort, recency, include_weak, filters];
  return createHash("sha256").update(JSON.stringify(identity)).digest("base64url").slice(0, 12);
}
