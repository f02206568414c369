/**
 * Okapi BM25 (Robertson & Zaragoza, "The Probabilistic Relevance Framework", 2009), with the inverse document frequency
 * of Lucene, which stays above zero for words in more than half of all chunks.
 */

/** What scores depend on beside the chunk itself. */
export interface CorpusSize {
  readonly chunks: number;
  /** Mean number of words in a chunk, title and headings included. */
  readonly averageLength: number;
}

/** How soon repetition stops counting. */
const K1 = 1.2;
/** How much the length of a chunk counts: 0 not at all, 1 in full. */
const B = 0.75;

/** The weight of a word that stands in `matches` of `chunks` chunks. */
export function inverseFrequency(matches: number, chunks: number): number {
  return Math.log(1 + Math.max(0, chunks - matches + 0.5) / (matches + 0.5));
}

/** What `count` (weighted) occurrences in a chunk of `length` words are worth, from 0 to K1 + 1. */
export function contribution(count: number, length: number, averageLength: number): number {
  return (count * (K1 + 1)) / (count + K1 * (1 - B + (B * length) / averageLength));
}
