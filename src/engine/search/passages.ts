/** The text of a passage as the index normalizes it, in lower case, with single spaces. */
export interface PassageText {
  /** The beginning, which is much cheaper than the rest: all of a shorter text. */
  readonly start: string;
  /** Returns the whole text. */
  readonly whole: () => string;
}

/** Access to the passages of a ranking, for comparisons. Those deleted after ranking have no text and no time. */
export interface Passages {
  /** Returns the number of words of a passage without reading it: equal for equal texts. */
  wordCountOf(chunk: number): number;
  /** Returns the texts of passages. The starts of equal texts are equal. */
  textsOf(chunks: readonly number[]): ReadonlyMap<number, PassageText>;
  /** Returns the distinct words of the text of a passage. */
  wordsOf(chunk: number): ReadonlySet<string> | undefined;
  /** Returns when the documents of passages last changed: ISO 8601 in UTC with milliseconds, which sorts as text. */
  changeTimesOf(chunks: readonly number[]): ReadonlyMap<number, string>;
}
