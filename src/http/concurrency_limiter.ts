import { errorResponse } from "./error_response.ts";

/**
 * Limits the number of operations that run at the same time.
 *
 * @example
 * ```ts
 * import { ConcurrencyLimiter } from "./concurrency_limiter.ts";
 * import { assertEquals } from "@std/assert";
 * const limiter = new ConcurrencyLimiter(1);
 * assertEquals([limiter.tryAcquire(), limiter.tryAcquire()], [true, false]);
 * limiter.release();
 * assertEquals(limiter.tryAcquire(), true);
 * ```
 */
export class ConcurrencyLimiter {
  /** Maximum number of operations. */
  readonly limit: number;
  #running = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Starts an operation, unless the limit is reached. Call {@linkcode release} when it has ended. */
  tryAcquire(): boolean {
    if (this.#running >= this.limit) return false;
    this.#running++;
    return true;
  }

  /** Ends an operation. */
  release(): void {
    this.#running--;
  }

  /** Returns the response for a request over the limit. */
  busyResponse(): Response {
    return errorResponse(503, `Busy: ${this.limit} requests are in progress, try again in a moment`, {
      headers: { "retry-after": "1" },
    });
  }
}
