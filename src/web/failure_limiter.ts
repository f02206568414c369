/** Failures that a client may have at once. */
const BURST = 10;
/** Time after which a client may have one more failure, in milliseconds. */
const INTERVAL_MS = 6000;
/** Maximum number of clients that are remembered; the one that failed least recently is forgotten. */
const MAX_CLIENTS = 4096;

/** A failure over the limit. */
export interface LimitedFailure {
  /** Time until a failure would be within the limit, in seconds. */
  readonly retryAfterSeconds: number;
  /** Whether this is the first one of its client since it was last without failures: for the log. */
  readonly isFirst: boolean;
}

interface Failures {
  /** When all failures will be forgiven, on the limiter's clock: the theoretical arrival time of GCRA. */
  forgivenAt: number;
  isLimited: boolean;
}

/**
 * Limits failed authentication per client: 10 failures at once, then one every 6 seconds. Successes are not
 * counted, so a right token is accepted from a client that is over the limit: behind a proxy all clients have
 * one address.
 *
 * Threat: guessing of short tokens, and logs full of failures. Time and memory are bounded for any number of clients.
 *
 * @example
 * ```ts
 * import { FailureLimiter } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * const failures = new FailureLimiter(() => 0);
 * for (let i = 0; i < 10; i++) assertEquals(failures.record("192.0.2.7"), undefined);
 * assertEquals(failures.record("192.0.2.7"), { retryAfterSeconds: 6, isFirst: true });
 * assertEquals(failures.record("192.0.2.8"), undefined);
 * ```
 */
export class FailureLimiter {
  readonly #clients = new Map<string, Failures>();
  readonly #now: () => number;

  /** @param now Monotonic clock, in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Counts a failure. Returns undefined while its client is within the limit. */
  record(client: string): LimitedFailure | undefined {
    const now = this.#now();
    const known = this.#clients.get(client);
    const failures = known && known.forgivenAt > now ? known : { forgivenAt: now, isLimited: false };
    this.#clients.delete(client);
    this.#clients.set(client, failures);
    if (this.#clients.size > MAX_CLIENTS) this.#forgetOldest();

    const waitMs = failures.forgivenAt + INTERVAL_MS - now - BURST * INTERVAL_MS;
    if (waitMs <= 0) {
      failures.forgivenAt += INTERVAL_MS;
      return undefined;
    }
    const isFirst = !failures.isLimited;
    failures.isLimited = true;
    return { retryAfterSeconds: Math.ceil(waitMs / 1000), isFirst };
  }

  #forgetOldest(): void {
    for (const client of this.#clients.keys()) {
      this.#clients.delete(client);
      return;
    }
  }
}
