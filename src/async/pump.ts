import { delay } from "./delay.ts";

/**
 * Delay after the first failure in milliseconds; it doubles with each consecutive failure, up to the maximum.
 */
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 30_000;

/**
 * Runs a step repeatedly while it finds work. Calls of {@linkcode Pump.wake} during a step cause one more
 * step. A step that throws is reported and retried with exponential backoff; only {@linkcode Pump.stop} ends
 * a pump.
 *
 * @example
 * ```ts
 * import { Pump } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * const queue = ["a", "b"];
 * const done: string[] = [];
 * const isEmpty = Promise.withResolvers<void>();
 * const pump = new Pump(() => {
 *   done.push(...queue.splice(0, 1));
 *   if (queue.length === 0) isEmpty.resolve();
 *   return Promise.resolve(queue.length > 0);
 * }, isEmpty.reject);
 * pump.wake();
 * await isEmpty.promise;
 * await pump.stop();
 * assertEquals(done, ["a", "b"]);
 * ```
 */
export class Pump {
  readonly #step: () => Promise<boolean>;
  readonly #onError: (error: unknown) => void;
  readonly #stop = new AbortController();
  #isStepRequested = false;
  #running: Promise<void> | undefined;

  /**
   * @param step Does one unit of work, and returns whether there may be more.
   * @param onError Receives every error of a step.
   */
  constructor(step: () => Promise<boolean>, onError: (error: unknown) => void) {
    this.#step = step;
    this.#onError = onError;
  }

  /** Runs a step now, or again after the current one. */
  wake(): void {
    this.#isStepRequested = true;
    this.#running ??= this.#run();
  }

  /** Starts no further step. Resolves when the current one has ended. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    let delayMs = FIRST_DELAY_MS;
    while (this.#isStepRequested && !this.#stop.signal.aborted) {
      this.#isStepRequested = false;
      try {
        if (await this.#step()) this.#isStepRequested = true;
        delayMs = FIRST_DELAY_MS;
      } catch (error) {
        if (this.#stop.signal.aborted) break;
        this.#isStepRequested = true;
        this.#onError(error);
        await delay(delayMs, this.#stop.signal);
        delayMs = Math.min(2 * delayMs, MAX_DELAY_MS);
      }
    }
    this.#running = undefined;
  }
}
