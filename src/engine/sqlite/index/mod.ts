/**
 * Reads the full-text index: posting lists from FTS5's pages, lengths of chunks, similar terms, BM25 scores.
 *
 * @module
 */
export type { CorpusStatistics } from "./bm25.ts";
export { ChunkMetadata, type ChunkTests } from "./chunk_metadata.ts";
export { IndexDamagedError } from "./errors.ts";
export { NO_POSTINGS, type Postings } from "./postings.ts";
export type { ExpansionLimits } from "./prefix_expansions.ts";
export { PostingsReader } from "./postings_reader.ts";
export { type Alternative, ScoreAccumulator } from "./score_accumulator.ts";
export type { Checkpoint } from "./term_index.ts";
