/** Size in bytes above which a response is large. Most have a few kilobytes. */
export const LARGE_RESPONSE_BYTES = 256 * 1024;

/** Maximum number of large responses that are read at the same time. */
const MAX_LARGE_RESPONSES = 2;

/**
 * Limits the number of large responses in memory. Further ones wait, and their engine with them, because
 * their connections are not read.
 */
export class LargeResponses {
  #free = MAX_LARGE_RESPONSES;
  readonly #waiting = new Set<() => void>();

  /**
   * Waits until another large response may be read.
   *
   * @returns Ends the reading. Undefined if the signal aborted first.
   */
  async enter(signal: AbortSignal): Promise<Disposable | undefined> {
    if (signal.aborted) return undefined;
    if (this.#free === 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.add(resolve);
      signal.addEventListener("abort", resolve as () => void, { once: true });
      await promise;
      signal.removeEventListener("abort", resolve as () => void);
      // A waiter that is still listed was ended by the signal; otherwise it has inherited a place.
      if (this.#waiting.delete(resolve)) return undefined;
    } else {
      this.#free--;
    }
    return { [Symbol.dispose]: () => this.#leave() };
  }

  #leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free++;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
