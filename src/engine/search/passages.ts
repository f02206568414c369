/** Access to the passages of a ranking, for comparisons. Those deleted after ranking have no text and no time. */
export interface Passages {
  /** Returns the number of words of a passage without reading it: equal for equal texts. */
  wordCountOf(chunk: number): number;
  /** Returns the texts of passages as the index normalizes them, in lower case, with single spaces. */
  textsOf(chunks: readonly number[]): ReadonlyMap<number, string>;
  /** Returns the distinct words of the text of a passage. */
  wordsOf(chunk: number): ReadonlySet<string> | undefined;
  /** Returns when the documents of passages last changed: ISO 8601 in UTC with milliseconds, which sorts as text. */
  changeTimesOf(chunks: readonly number[]): ReadonlyMap<number, string>;
}
