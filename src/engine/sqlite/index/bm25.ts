/*
 * Okapi BM25 (Robertson & Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009), with
 * Lucene's inverse document frequency, which stays positive for terms in more than half of all chunks.
 */

/** Statistics of all chunks that scores depend on. */
export interface CorpusStatistics {
  /** Number of chunks. */
  readonly chunks: number;
  /** Mean number of words in a chunk, including title and headings. At least 1. */
  readonly averageLength: number;
}

/** Term frequency saturation. */
const K1 = 1.2;
/** Length normalization, from 0 (none) to 1 (full). */
const B = 0.75;

/** Returns the inverse document frequency of a term that `documentFrequency` of `chunks` chunks contain. */
export function inverseDocumentFrequency(documentFrequency: number, chunks: number): number {
  return Math.log(1 + Math.max(0, chunks - documentFrequency + 0.5) / (documentFrequency + 0.5));
}

/** Returns the term frequency at which a chunk of `length` words has half of the maximum score. */
export function lengthNorm(length: number, averageLength: number): number {
  return K1 * (1 - B + (B * length) / averageLength);
}

/**
 * Returns the saturated term frequency in a chunk of `length` words, from 0 to K1 + 1. The reference for the kernel
 * (kernel/scores.as), which computes it for whole posting lists.
 */
export function termFrequencyScore(frequency: number, length: number, averageLength: number): number {
  return (frequency * (K1 + 1)) / (frequency + lengthNorm(length, averageLength));
}
