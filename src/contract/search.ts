import { z } from "zod";
import { ChunkPlace } from "./documents.ts";
import { DateInput, Id, MAX_QUERY_CHARS, MAX_TOP, Tags, Timestamp } from "./primitives.ts";

/** How a search really ran: full text, vectors, or both fused. */
export const SEARCH_MODES = ["fts", "vector", "hybrid"] as const;

/** Body of `POST /api/v1/search`. */
export const SearchRequest = z.object({
  /** Any text: a question, keywords, an identifier. Nothing in it is query syntax. */
  query: z.string().max(MAX_QUERY_CHARS).regex(/\S/, "must not be empty"),
  /** Most results. */
  top: z.int().min(1).max(MAX_TOP).default(10),
  /** Only documents that have all of these tags. */
  tags: Tags.optional(),
  /** Full text only. */
  fts_only: z.boolean().optional(),
  /** Vectors only; an engine without embeddings refuses it as invalid. */
  vec_only: z.boolean().optional(),
  doc_type: z.string().min(1).max(50).optional(),
  /** Only documents modified (or, never modified, created) at this time or later. */
  since: DateInput.optional(),
  /** Only documents modified (or, never modified, created) at this time or earlier. */
  until: DateInput.optional(),
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
  text: z.string(),
  /** The part of `text` around the matched words. */
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

/** Answer of `POST /api/v1/search`. */
export const SearchResponse = z.looseObject({
  /** One of {@linkcode SEARCH_MODES}: what really ran, whatever was asked for. */
  mode: z.string().nullish(),
  results: z.array(SearchResult),
  /** Said when the answer is less than what was asked for (no embeddings for a hybrid search, say). */
  warning: z.string().nullish(),
});
/** Inferred from {@linkcode SearchResponse}. */
export type SearchResponse = z.infer<typeof SearchResponse>;
