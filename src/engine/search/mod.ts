/**
 * Search over the store: by words, by vectors, and by both.
 *
 * @module
 */
export { toSearchText } from "./analyze.ts";
export { SearchError } from "./errors.ts";
export { Searcher } from "./search.ts";
export type { Scored } from "./select.ts";
export type { VectorRanker, VectorSearch } from "./vector_search.ts";
