/**
 * Full-text search over the store.
 *
 * @module
 */
export { toSearchText } from "./analyze.ts";
export { SearchError } from "./errors.ts";
export { search } from "./search.ts";
