/**
 * Search in the SQLite store: by terms, by vectors, and by both.
 *
 * @module
 */
export { Searcher, type SearchOptions } from "./searcher.ts";
