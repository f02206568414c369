/**
 * Search in the SQLite store: by terms, by vectors, and by both.
 *
 * @module
 */
export { Searcher } from "./searcher.ts";
