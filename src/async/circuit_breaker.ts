/** Time from a failure to the next attempt, in milliseconds. */
const COOL_DOWN_MS = 5000;

/** Keeps searches from waiting, each anew, for something that has just failed, and has it tried again after some seconds. */
export class CircuitBreaker {
  readonly #now: () => number;
  #failure: Error | undefined;
  #triedAgainAt = 0;

  /** @param now Milliseconds of a clock that never goes back. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** The last failure, unless it has worked since then. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** Whether it is time for an attempt. */
  get mayTry(): boolean {
    return !this.#failure || this.#now() >= this.#triedAgainAt;
  }

  succeeded(): void {
    this.#failure = undefined;
  }

  failed(error: Error): void {
    this.#failure = error;
    this.#triedAgainAt = this.#now() + COOL_DOWN_MS;
  }
}
