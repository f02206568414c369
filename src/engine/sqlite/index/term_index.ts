/** Read access to the inverted index. */
export interface TermIndex {
  /**
   * Calls `visit` for each row that contains a term, with the sum of the weights of its occurrences. Rows may
   * be in any order, and may include deleted ones.
   *
   * @param term A term as it is stored, so stemmed.
   * @param columnWeights Weight of an occurrence in each column.
   */
  visitRows(
    term: string,
    columnWeights: readonly number[],
    visit: (rowid: number, weight: number) => void,
  ): void;
  /**
   * Calls `visit` for each term with a prefix; possibly several times for the same term.
   *
   * @param visit Receives the term in UTF-8; valid during the call only. Returns false to stop.
   */
  visitTerms(prefix: string, visit: (term: Uint8Array) => unknown): void;
}
