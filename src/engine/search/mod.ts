/**
 * Search over the store: by words, by vectors, and by both.
 *
 * @module
 */
export { toSearchText } from "./analyze.ts";
export { SearchError } from "./errors.ts";
export { Searcher, type VectorRanker, type VectorSearch } from "./search.ts";
export type { Scored } from "./select.ts";
