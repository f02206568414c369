/**
 * Reads the full-text index: postings from FTS5's own pages, chunk lengths, vocabulary, BM25 scores.
 *
 * @module
 */
export { NONE, type Postings, PostingsReader } from "./postings.ts";
export { Scores } from "./scores.ts";
