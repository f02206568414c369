/**
 * Threads for reads that take long: searches, comparisons of notes, and lists with filters.
 *
 * @module
 */
export type { EncodedSearch } from "./encoded_search.ts";
export { localReads } from "./local_reads.ts";
export type { PageRequest, ReadOperation, ReadOperations, Reads } from "./reads.ts";
export { SearchThreads, type SearchThreadsOptions } from "./search_threads.ts";
