import * as z from "zod";
import { ChunkPlace } from "./documents.ts";
import { Cursor, DateInput, Id, MAX_QUERY_CHARS, MAX_TOP, Tag, Tags, Timestamp } from "./primitives.ts";

/** How a search runs: both rankings fused, full text alone, or vectors alone. */
export const SEARCH_MODES = ["hybrid", "fts", "vector"] as const;

/**
 * How much of each result's text is answered: the part around the matched words, the whole chunk, or the chunk with its
 * neighbours under the same heading.
 */
export const SEARCH_DETAILS = ["snippet", "chunk", "context"] as const;

/** Least and most tokens that `max_tokens` may be. */
export const MIN_ANSWER_TOKENS = 50;
/** See {@linkcode MIN_ANSWER_TOKENS}. */
export const MAX_ANSWER_TOKENS = 1_000_000;

/** Body of `POST /api/v1/search`. */
export const SearchRequest = z.object({
  /** Any text: a question, keywords, an identifier. `"quoted phrases"` and `-exclusions` are the only syntax. */
  query: z.string().max(MAX_QUERY_CHARS).regex(/\S/, "must not be empty"),
  /** Most results. */
  top: z.int().min(1).max(MAX_TOP).default(10),
  /** Unset: hybrid where there are embeddings, else full text. */
  mode: z.enum(SEARCH_MODES).optional(),
  /** The same as `mode: "fts"`. */
  fts_only: z.boolean().optional(),
  /** The same as `mode: "vector"`; an engine without embeddings refuses it as invalid. */
  vec_only: z.boolean().optional(),
  /** Only documents that have all of these tags. */
  tags: Tags.optional(),
  /** Only documents that have at least one of these tags. An empty list is a mistake, and not "all". */
  tags_any: Tags.min(1).optional(),
  /** Only documents that have none of these tags. */
  tags_none: Tags.optional(),
  /** Only documents in one of these collections, by name. An empty list is a mistake, and not "all". */
  collections: z.array(Tag).min(1).max(64).optional(),
  doc_type: z.string().min(1).max(50).optional(),
  /** Only documents modified (or, never modified, created) at this time or later. */
  since: DateInput.optional(),
  /** Only documents modified (or, never modified, created) at this time or earlier. */
  until: DateInput.optional(),
  detail: z.enum(SEARCH_DETAILS).default("chunk"),
  /** Most chunks of one document. Unset: no limit. */
  per_document: z.int().min(1).max(MAX_TOP).optional(),
  /** About how many tokens the results may take in all; they fill it best first. Unset: no limit. */
  max_tokens: z.int().min(MIN_ANSWER_TOKENS).max(MAX_ANSWER_TOKENS).optional(),
  /** `next_cursor` of the answer before, with everything else the same. */
  cursor: Cursor.optional(),
});
/** What a caller of `POST /api/v1/search` may give. */
export type SearchRequest = z.input<typeof SearchRequest>;

/** A chunk that matched, with what is known of its document. */
export const SearchResult = ChunkPlace.extend({
  chunk_id: Id,
  document_id: Id,
  /** Position of the chunk in its document, from 0: where `offset` of `GET /api/v1/documents/{id}` reads on. */
  index: z.int().nonnegative().nullish(),
  /** Larger is better; orders the results of one answer and means nothing across answers. */
  score: z.number(),
  /** The chunk; with `detail: "snippet"` the part of it around the matched words. */
  text: z.string(),
  /** With `detail: "context"`: the text right before the chunk, under the same heading. */
  context_before: z.string().nullish(),
  /** With `detail: "context"`: the text right after the chunk, under the same heading. */
  context_after: z.string().nullish(),
  /** The part of the chunk around the matched words; left out where `text` is just that. */
  snippet: z.string().nullish(),
  title: z.string().nullish(),
  doc_type: z.string().nullish(),
  source_path: z.string().nullish(),
  tags: z.array(z.string()).default([]),
  created_at: Timestamp.nullish(),
  updated_at: Timestamp.nullish(),
});
/** Inferred from {@linkcode SearchResult}. */
export type SearchResult = z.infer<typeof SearchResult>;

/** Fields of a result that `max_tokens` does not count, because models do not read them. */
export const UNCOUNTED_FIELDS: readonly string[] = ["char_start", "char_end", "snippet"];

/** Filters that a search has applied, as it understood them: times are instants in UTC. */
export const FiltersApplied = z.looseObject({
  tags: z.array(z.string()).optional(),
  tags_any: z.array(z.string()).optional(),
  tags_none: z.array(z.string()).optional(),
  collections: z.array(z.string()).optional(),
  doc_type: z.string().optional(),
  since: z.string().optional(),
  until: z.string().optional(),
  per_document: z.int().optional(),
});
/** Inferred from {@linkcode FiltersApplied}. */
export type FiltersApplied = z.infer<typeof FiltersApplied>;

/** Answer of `POST /api/v1/search`. */
export const SearchResponse = z.looseObject({
  /** One of {@linkcode SEARCH_MODES}: what really ran, whatever was asked for. */
  mode: z.string().nullish(),
  results: z.array(SearchResult),
  /** Results on all pages together. */
  total: z.int().nonnegative().nullish(),
  /** Passed back as `cursor`, gives what follows; null: there is no more. */
  next_cursor: z.string().nullish(),
  /** Said when the answer is less than what was asked for (the embedder failed, say), and why. */
  warning: z.string().nullish(),
  /** Words that no result contains, and the word that was found instead. */
  corrections: z.array(z.object({ word: z.string(), used: z.string() })).nullish(),
  /** Said when `max_tokens` cut the page: how many of its results are left out, and whether the last one's text is cut. */
  cut: z.looseObject({ omitted: z.int().nonnegative(), text_cut: z.boolean() }).nullish(),
  filters_applied: FiltersApplied.nullish(),
  /** With an embedding model: of how many chunks it has the vectors so far. */
  vectors: z.looseObject({ embedded: z.int().nonnegative(), total: z.int().nonnegative() }).nullish(),
});
/** Inferred from {@linkcode SearchResponse}. */
export type SearchResponse = z.infer<typeof SearchResponse>;
