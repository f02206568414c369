/**
 * Returns one of the parts that tell the texts of passages apart, as the index normalizes them: each takes longer to
 * compute than the one before it. Texts are equal if all parts are; undefined after the last one.
 */
export type PassageText = (part: number) => string | undefined;

/** The distinct words of a passage. */
export interface PassageWords {
  /** Words of the text without its subwords. */
  readonly words: ReadonlySet<string>;
  /** Maximum number of further words among the subwords. */
  readonly maxSubwords: number;
  /** Returns the words with the subwords, which take much longer to find. */
  readonly withSubwords: () => ReadonlySet<string>;
}

/** Access to the passages of a ranking, for comparisons. Those deleted after ranking have no text and no time. */
export interface Passages {
  /** Returns the number of words of a passage without reading it: equal for equal texts. */
  wordCountOf(chunk: number): number;
  /** Returns the texts of passages. */
  textsOf(chunks: readonly number[]): ReadonlyMap<number, PassageText>;
  /** Returns the distinct words of the text of a passage. */
  wordsOf(chunk: number): PassageWords | undefined;
  /** Returns when the documents of passages last changed: ISO 8601 in UTC with milliseconds, which sorts as text. */
  changeTimesOf(chunks: readonly number[]): ReadonlyMap<number, string>;
}
