/** A stored passage, for comparisons. */
export interface Passage {
  /** Text as the index normalizes it, in lower case, with single spaces. */
  readonly text: string;
  /** Time of the last change of its document: ISO 8601 in UTC with milliseconds, which sorts as text. */
  readonly changedAt: string;
}

/** Access to the passages of a ranking. */
export interface Passages {
  /** Returns the number of words of a passage without reading it: equal for equal texts. */
  wordCountOf(chunk: number): number;
  /** Reads passages. Those deleted after ranking are missing. */
  read(chunks: readonly number[]): ReadonlyMap<number, Passage>;
}
