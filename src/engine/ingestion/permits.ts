/**
 * A number of permits, given in the order of the requests.
 *
 * @example
 * ```ts
 * import { Permits } from "./permits.ts";
 * import { assertEquals } from "@std/assert";
 * const permits = new Permits(() => 1);
 * await permits.take();
 * assertEquals(permits.tryTake(), false);
 * const next = permits.take();
 * permits.release();
 * await next;
 * ```
 */
export class Permits {
  readonly #max: () => number;
  #taken = 0;
  readonly #waiting: (() => void)[] = [];

  /** @param max Returns the current maximum number of permits. */
  constructor(max: () => number) {
    this.#max = max;
  }

  /** Takes a permit if one is free and nobody waits for it. */
  tryTake(): boolean {
    if (this.#waiting.length > 0 || this.#taken >= this.#max()) return false;
    this.#taken++;
    return true;
  }

  /**
   * Waits for a permit.
   *
   * @throws {unknown} The reason of the signal.
   */
  async take(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (this.tryTake()) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const stop = () => {
      const at = this.#waiting.indexOf(resolve);
      if (at < 0) return;
      this.#waiting.splice(at, 1);
      reject(signal?.reason);
    };
    this.#waiting.push(resolve);
    signal?.addEventListener("abort", stop);
    try {
      await promise;
    } finally {
      signal?.removeEventListener("abort", stop);
    }
  }

  /** Returns a permit. */
  release(): void {
    this.#taken--;
    this.update();
  }

  /** Gives free permits to those who wait. Must be called when the maximum has grown. */
  update(): void {
    while (this.#taken < this.#max()) {
      const next = this.#waiting.shift();
      if (!next) return;
      this.#taken++;
      next();
    }
  }
}
