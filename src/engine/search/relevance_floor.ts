/*
 * A result far below the best one costs a model tokens and tells it nothing. If the best one is itself weak, the
 * ranking cannot tell the relevant from the rest, so that everything is returned. The constants lose no relevant
 * document of the evaluation sets: docs/evaluation.md.
 */

/** Minimum score by terms, relative to the best one. */
const MIN_TERM_SHARE = 0.1;
/** Share of the query that the best chunk has to match before others count as weak. */
const MIN_COVERAGE = 0.75;
/** Minimum similarity or fused score, relative to the best one. */
const MIN_SIMILARITY_SHARE = 0.2;
/** Similarity or fused score from which the best chunk is close to the query. */
const CLOSE_SIMILARITY = 0.5;

/**
 * Returns the score below which chunks are weak in a ranking by terms.
 *
 * @param options.coverage Share of the query's evidence that the best chunk matches, from 0 to 1.
 */
export function termFloor(best: number, { coverage }: { readonly coverage: number }): number {
  return coverage >= MIN_COVERAGE ? MIN_TERM_SHARE * best : -Infinity;
}

/** Returns the score below which chunks are weak in a ranking by vectors, or by terms and vectors. */
export function similarityFloor(best: number): number {
  return best >= CLOSE_SIMILARITY ? MIN_SIMILARITY_SHARE * best : -Infinity;
}
