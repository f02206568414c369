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
export { type EarlyRanking, earlyRanking } from "./early_ranking.ts";
export type { TermEvidence } from "./fusion.ts";
export {
  byScore,
  countBelow,
  type Hits,
  type ScoredChunk,
  type TermHits,
  topHits,
  topIndexes,
} from "./hits.ts";
export { collapseIdentical, type DistinctRanking } from "./identical_passages.ts";
export { preferNewer } from "./near_duplicates.ts";
export { type SearchPage, selectPage } from "./page.ts";
export type { Passages, PassageText, PassageWords } from "./passages.ts";
export {
  planSearch,
  planWithForms,
  planWithoutFrequentPhrases,
  planWithoutPhrases,
  type SearchMode,
  type SearchPlan,
} from "./plan.ts";
export type { ParsedQuery } from "./query.ts";
export {
  ALTERNATIVE_WEIGHT,
  LONE_SUBWORD_WEIGHT,
  type Phrase,
  type QueryTerm,
  SUBWORD_WEIGHT,
  wordsOf,
} from "./query_terms.ts";
export {
  combineRankings,
  executedMode,
  limitPerDocument,
  type Ranking,
  type RankingOptions,
  type Rankings,
  type TermRanking,
} from "./ranking.ts";
export { type RecencyOptions, sortByRecency, weighByRecency } from "./recency.ts";
export { buildResponse, type CompletedSearch } from "./response.ts";
export type { Copies, NeighborChunk, RankedChunk } from "./result.ts";
export type { TermWeight } from "./sentence_similarity.ts";
export type { Sentence } from "./sentences.ts";
export {
  type NoteToCompare,
  noteToCompare,
  rankSimilarNotes,
  type SimilarCandidate,
} from "./similar_notes.ts";
export {
  othersToCompare,
  type SharedRankingTarget,
  type StoredVectorQuery,
  vectorLimit,
  type VectorRanker,
  type VectorRanking,
  type VectorRankingRequest,
  type VectorSearch,
  type VectorsUnavailable,
} from "./vector_search.ts";
export { type DerivedTermIndex, WordForms, type WordInLanguages } from "./word_forms.ts";
