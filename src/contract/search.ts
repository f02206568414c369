import * as z from "zod";
import { documentFilters, MetadataFilter } from "./document_list.ts";
import { ChunkLocation } from "./documents.ts";
import { Cursor, Id, Timestamp } from "./primitives.ts";
import { DEFAULT_TOP, MAX_QUERY_CHARS, MAX_TOP } from "./rules/limits.ts";

/** Rankings of a search: both fused, full text only, or vectors only. */
export const SEARCH_MODES = ["hybrid", "fts", "vector"] as const;

/** Text of each result: the part around the matched words, the chunk, or the chunk with its neighbors. */
export const SEARCH_DETAILS = ["snippet", "chunk", "context"] as const;

/** Sort orders of a search. */
export const SEARCH_SORTS = ["relevance", "recent"] as const;

/** Minimum of `max_tokens`. */
export const MIN_BUDGET_TOKENS = 50;
/** Maximum of `max_tokens`. */
export const MAX_BUDGET_TOKENS = 1_000_000;

/** Body of `POST /api/v1/search`. */
export const SearchRequest = z.object({
  /** A question, keywords or an identifier. The only operators are `"exact phrase"` and `-excluded`. */
  query: z.string().max(MAX_QUERY_CHARS).regex(/\S/, "must not be empty"),
  /** Maximum number of results. */
  top: z.int().min(1).max(MAX_TOP).default(DEFAULT_TOP),
  /** Default: `hybrid` with an embedding model, otherwise `fts`. */
  mode: z.enum(SEARCH_MODES).optional(),
  /** Same as `mode: "fts"`. */
  fts_only: z.boolean().optional(),
  /** Same as `mode: "vector"`. Invalid without an embedding model. */
  vec_only: z.boolean().optional(),
  ...documentFilters,
  /** Only this document. Ignored before contract 3.3. */
  document_id: Id.optional(),
  /** `recent`: by the time of the last change. Default: `relevance`. Ignored before contract 3.3. */
  sort: z.enum(SEARCH_SORTS).optional(),
  /**
   * Weight of recency in the ranking by relevance, from 0 to 1: the score of a document is halved about every
   * 30 days at 1. Ignored before contract 3.3.
   */
  recency: z.number().min(0).max(1).optional(),
  /** Also returns results far below the best one. Ignored before contract 3.3. */
  include_weak: z.boolean().optional(),
  detail: z.enum(SEARCH_DETAILS).default("chunk"),
  /** False: the results have no `snippet`, which takes time. Sent to engines with contract 3.6 or later. */
  snippets: z.boolean().optional(),
  /** Maximum number of chunks of one document. Default: no limit. */
  per_document: z.int().min(1).max(MAX_TOP).optional(),
  /** Estimated maximum number of tokens of the response, as a model reads it. Default: no limit. */
  max_tokens: z.int().min(MIN_BUDGET_TOKENS).max(MAX_BUDGET_TOKENS).optional(),
  /** `next_cursor` of the previous response to the same request. */
  cursor: Cursor.optional(),
});
/** Body of `POST /api/v1/search` before parsing. */
export type SearchRequest = z.input<typeof SearchRequest>;

/** A matching chunk with the fields of its document. */
export const SearchResult = ChunkLocation.extend({
  chunk_id: Id,
  document_id: Id,
  /** Index of the chunk in its document, for the `offset` of `GET /api/v1/documents/{id}`. */
  index: z.int().nonnegative().nullish(),
  /** Higher is better. Comparable within one response only. */
  score: z.number(),
  /** Text of the chunk, or with `detail: "snippet"` the part around the matched words. */
  text: z.string(),
  /** With `detail: "context"`: the text before the chunk under the same heading. */
  context_before: z.string().nullish(),
  /** With `detail: "context"`: the text after the chunk under the same heading. */
  context_after: z.string().nullish(),
  /** Part of the chunk around the matched words, unless `text` is the same or the request has `snippets: false`. */
  snippet: z.string().nullish(),
  title: z.string().nullish(),
  doc_type: z.string().nullish(),
  /** Main language of the document; see `DocumentSummary`. Absent before contract 3.2. */
  language: z.string().nullish(),
  source_path: z.string().nullish(),
  tags: z.array(z.string()).default([]),
  created_at: Timestamp.nullish(),
  updated_at: Timestamp.nullish(),
  /** The first other chunks with the same text, which are not results of their own. Since contract 3.3. */
  also_in: z.array(z.looseObject({
    chunk_id: Id,
    document_id: Id,
    title: z.string().nullish(),
    source_path: z.string().nullish(),
  })).nullish(),
  /** Number of other chunks with the same text, if `also_in` does not list all of them. */
  also_in_total: z.int().nonnegative().nullish(),
});
/** Inferred from {@linkcode SearchResult}. */
export type SearchResult = z.infer<typeof SearchResult>;

/** Filters that a search applied, with times in UTC. */
export const FiltersApplied = z.looseObject({
  tags: z.array(z.string()).optional(),
  tags_any: z.array(z.string()).optional(),
  tags_none: z.array(z.string()).optional(),
  collections: z.array(z.string()).optional(),
  doc_type: z.string().optional(),
  language: z.string().optional(),
  since: z.string().optional(),
  until: z.string().optional(),
  per_document: z.int().optional(),
  /** Order, if it is not that of relevance. Since contract 3.3. */
  sort: z.string().optional(),
  /** Weight of recency, if it is not 0. Since contract 3.3. */
  recency: z.number().optional(),
  document_id: Id.optional(),
  source_path_prefix: z.string().optional(),
  metadata: MetadataFilter.optional(),
});
/** Inferred from {@linkcode FiltersApplied}. */
export type FiltersApplied = z.infer<typeof FiltersApplied>;

/** Response of `POST /api/v1/search`. */
export const SearchResponse = z.looseObject({
  /** Mode that ran, which may differ from the requested one. */
  mode: z.string().nullish(),
  results: z.array(SearchResult),
  /** Number of results on all pages. */
  total: z.int().nonnegative().nullish(),
  /** Cursor of the next page; null on the last one. */
  next_cursor: z.string().nullish(),
  /** Reason for an incomplete response, such as a failed embedding model. */
  warning: z.string().nullish(),
  /** Query words that no result contains, and the words that were searched instead. */
  corrections: z.array(z.object({ word: z.string(), used: z.string() })).nullish(),
  /**
   * One or two words of the query that no text contains, unless they are corrected or common words, or half of the query.
   * Since contract 3.6.
   */
  unknown_words: z.array(z.string()).nullish(),
  /**
   * Set if `max_tokens` cut the page: number of omitted results, and whether the text of the last result is cut,
   * or its context (since contract 3.3).
   */
  cut: z.looseObject({
    omitted: z.int().nonnegative(),
    text_cut: z.boolean(),
    context_cut: z.boolean().optional(),
  }).nullish(),
  filters_applied: FiltersApplied.nullish(),
  /** Number of results left out because they are far below the best one. Since contract 3.3. */
  weak_omitted: z.int().nonnegative().nullish(),
  /**
   * True if no searched text contains a word of the query, so that the results are only similar in meaning: every query
   * is similar to something. Since contract 3.6.
   */
  only_similar: z.boolean().nullish(),
  /** With an embedding model: number of chunks that have a vector. */
  vectors: z.looseObject({ embedded: z.int().nonnegative(), total: z.int().nonnegative() }).nullish(),
});
/** Inferred from {@linkcode SearchResponse}. */
export type SearchResponse = z.infer<typeof SearchResponse>;
