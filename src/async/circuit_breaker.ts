/** Time from a failure to the next attempt, in milliseconds. */
const COOL_DOWN_MS = 5000;

/**
 * Fails fast after an error, then allows one retry per cool-down period.
 *
 * @example
 * ```ts
 * import { CircuitBreaker } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * let now = 0;
 * const breaker = new CircuitBreaker(() => now);
 * breaker.recordFailure(new Error("not available"));
 * assertEquals(breaker.canTry, false);
 * now = 5000;
 * assertEquals(breaker.canTry, true);
 * ```
 */
export class CircuitBreaker {
  readonly #now: () => number;
  #failure: Error | undefined;
  #retryAt = 0;

  /** @param now Monotonic clock, in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** The last failure; undefined after a success. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** Whether an attempt is allowed. */
  get canTry(): boolean {
    return !this.#failure || this.#now() >= this.#retryAt;
  }

  /** Records a success. */
  recordSuccess(): void {
    this.#failure = undefined;
  }

  /** Records a failure, and starts a cool-down period. */
  recordFailure(error: Error): void {
    this.#failure = error;
    this.#retryAt = this.#now() + COOL_DOWN_MS;
  }
}
