/**
 * Search over the store: by words, by vectors, and by both.
 *
 * @module
 */
export { toSearchText } from "../../../analysis/analyze.ts";
export { SearchError } from "../../knowledge_base/errors.ts";
export { Searcher } from "./search.ts";
export type { Scored } from "../../search/select.ts";
export type { VectorRanker, VectorSearch } from "../../search/vector_search.ts";
