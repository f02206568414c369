/**
 * Ranking that does not depend on the storage back end: query parsing, fusion, pages, snippets.
 *
 * @module
 */
export { fit } from "./budget.ts";
export { type Mode, modeOf } from "./mode.ts";
export { LONE_PART_WEIGHT, parseQuery, PART_WEIGHT, type Phrase, type Query, type Unit } from "./query.ts";
export { hybridRanking, listed, type Ranking, rankingOf, withLimit } from "./ranking.ts";
export { best, type Hits, type Scored } from "./select.ts";
export { snippetsFor } from "./snippet.ts";
export { timeRange } from "./time_range.ts";
export type { VectorRanker, VectorSearch } from "./vector_search.ts";
