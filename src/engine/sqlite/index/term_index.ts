/** A term whose doclists have been found in the index, but not read yet. */
export interface LocatedTerm {
  readonly term: string;
  /** Estimated size of its doclists in bytes; 0 if unknown. A posting takes about six. */
  readonly bytes: number;
  /** Whether no row contains the term. */
  readonly isAbsent: boolean;
}

/** Called between steps of long work; throws to interrupt it. */
export type Checkpoint = () => void;

/** Read access to the inverted index. */
export interface TermIndex<Located extends LocatedTerm = LocatedTerm> {
  /**
   * Finds terms.
   *
   * @param terms Terms as they are stored, so stemmed.
   * @returns One entry per term, in the same order.
   */
  locate(terms: readonly string[]): Located[];
  /**
   * Reads the rows that contain a term into the kernel's posting list. Rows may be in any order.
   *
   * @throws {IndexDamagedError} If a page is damaged.
   */
  read(located: Located, checkpoint?: Checkpoint): void;
  /**
   * Reads the positions of a term in the kernel's candidates of a phrase.
   *
   * @returns False: the index cannot.
   * @throws {IndexDamagedError} If a page is damaged.
   */
  readPositions(located: Located, checkpoint?: Checkpoint): boolean;
  /**
   * Calls `visit` for each term with one of the prefixes; possibly several times for the same term.
   *
   * @param visit Receives the term and the index of its prefix. Returns false to
   * stop with this prefix.
   */
  visitTerms(prefixes: readonly string[], visit: (term: string, prefix: number) => unknown): void;
}
