import { EmbeddingError } from "../../../embeddings/mod.ts";
import { isStorageFailure, VectorsRejectedError } from "../store/mod.ts";

/**
 * Receives the current problem of a backfill, or null when it is over.
 *
 * @param cause For the log; unset if the problem already contains it.
 */
export type OnProblem = (problem: string | null, cause?: string) => void;

/** Reports each problem once, until it changes or is over. */
export class ProblemReporter {
  readonly #onProblem: OnProblem;
  readonly #reindexCommand: string;
  #current: string | null = null;

  constructor(onProblem: OnProblem, reindexCommand: string) {
    this.#onProblem = onProblem;
    this.#reindexCommand = reindexCommand;
  }

  /** Reports an error. */
  report(error: unknown): void {
    const isKnown = error instanceof EmbeddingError || error instanceof VectorsRejectedError;
    this.#set(this.#describe(error), isKnown || !(error instanceof Error) ? undefined : error.message);
  }

  /** Reports that the problem is over. */
  clear(): void {
    this.#set(null);
  }

  #set(problem: string | null, cause?: string): void {
    if (problem === this.#current) return;
    this.#current = problem;
    this.#onProblem(problem, cause);
  }

  #describe(error: unknown): string {
    if (error instanceof EmbeddingError) return error.message;
    if (error instanceof VectorsRejectedError) {
      return `${error.message}: restore KB_EMBEDDINGS_MODEL and KB_EMBEDDINGS_DIMENSIONS, or embed all chunks again with ` +
        this.#reindexCommand;
    }
    return isStorageFailure(error)
      ? "Cannot store vectors, because the disk is full or failing: free some space"
      : "Cannot store vectors";
  }
}
