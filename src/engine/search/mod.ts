/**
 * The stages of a search that do not depend on the back end, as a pipeline of values:
 *
 *     request → SearchPlan → TermRanking, VectorRanking → Ranking → SearchPage → SearchResponse
 *
 * A back end ranks by terms, provides a {@linkcode VectorSearch}, and reads the chunks of a page.
 *
 * @module
 */
export type { Correction } from "./corrections.ts";
export type { SearchFilters } from "./filters.ts";
export type { TermEvidence } from "./fusion.ts";
export { type Hits, type ScoredChunk, type TermHits, topHits } from "./hits.ts";
export { type SearchPage, selectPage } from "./page.ts";
export { planSearch, type SearchMode, type SearchPlan } from "./plan.ts";
export type { ParsedQuery } from "./query.ts";
export { withForms } from "./query_forms.ts";
export { LONE_SUBWORD_WEIGHT, type Phrase, type QueryTerm, SUBWORD_WEIGHT } from "./query_terms.ts";
export {
  combineRankings,
  executedMode,
  limitPerDocument,
  type Ranking,
  type Rankings,
  type TermRanking,
} from "./ranking.ts";
export { buildResponse, type CompletedSearch } from "./response.ts";
export type { NeighborChunk, RankedChunk } from "./result.ts";
export {
  othersToCompare,
  vectorLimit,
  type VectorRanker,
  type VectorRanking,
  type VectorRankingRequest,
  type VectorSearch,
  type VectorsUnavailable,
} from "./vector_search.ts";
