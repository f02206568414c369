import { EmbeddingError } from "../../../embeddings/mod.ts";

/** Delay after the first failure in milliseconds; it doubles with each further one, up to the maximum. */
const FIRST_DELAY_MS = 250;
/** Maximum delay between attempts, in milliseconds. */
export const MAX_DELAY_MS = 60_000;
/** Consecutive failures until the model is probed. */
const FAILURES_BEFORE_PROBE = 3;

/** Decides when to retry a batch, and when to check whether its text is the cause. */
export class RetryPolicy {
  #failures = 0;
  #failuresBeforeProbe = FAILURES_BEFORE_PROBE;

  /** Resets the delay after a success. */
  recordSuccess(): void {
    this.#failures = 0;
  }

  /** Counts a failure. */
  recordFailure(): void {
    this.#failures++;
  }

  /** Whether to probe the model with another text. */
  get shouldProbe(): boolean {
    return this.#failures >= this.#failuresBeforeProbe;
  }

  /** Records that the text is the cause: the model is probed at the first failure of each half. */
  recordBadText(): void {
    this.#failures = 0;
    this.#failuresBeforeProbe = 1;
  }

  /**
   * Returns the delay of the next attempt: exponential backoff with jitter, or the `Retry-After` if longer.
   */
  delayMs(error: unknown): number {
    const backoff = Math.min(FIRST_DELAY_MS * 2 ** (this.#failures - 1), MAX_DELAY_MS);
    const requested = error instanceof EmbeddingError ? error.retryAfterMs ?? 0 : 0;
    return Math.max(backoff * (0.5 + Math.random() / 2), requested);
  }
}

/** Whether an error may be caused by the text and not by the state of the model. */
export function mayBeBadText(error: unknown): boolean {
  return error instanceof EmbeddingError && error.code === "unavailable";
}
