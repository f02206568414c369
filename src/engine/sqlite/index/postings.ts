/** Posting list of a term or phrase: each chunk that contains it once, in any order, with the number of occurrences. */
export interface Postings {
  /** Number of chunks. */
  readonly count: number;
  /**
   * Returns the address of the ids (32 bits each), which the frequencies (8 bits each) follow. Reads the posting list
   * again if it is no longer in memory. Valid until the next posting list is read.
   */
  load(): number;
}

/** An empty posting list. */
export const NO_POSTINGS: Postings = { count: 0, load: () => 0 };
