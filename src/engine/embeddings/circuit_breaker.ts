/** Longest time between two attempts at something that fails, in milliseconds. */
const COOL_DOWN_MS = 5000;

/**
 * Keeps searches from waiting, each anew, for something that has just failed: for some seconds after a failure they fail
 * at once, then one of them tries again while the others still fail.
 */
export class CircuitBreaker {
  readonly #now: () => number;
  #failure: Error | undefined;
  #closedAgainAt = 0;

  /** @param now Milliseconds of a clock that never goes back. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Throws the last failure, or lets the caller through, who has to say what came of it. */
  enter(): void {
    if (!this.#failure) return;
    if (this.#now() < this.#closedAgainAt) throw this.#failure;
    this.#closedAgainAt = this.#now() + COOL_DOWN_MS;
  }

  succeeded(): void {
    this.#failure = undefined;
  }

  failed(error: Error): void {
    this.#failure = error;
    this.#closedAgainAt = this.#now() + COOL_DOWN_MS;
  }
}
