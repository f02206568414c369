/** Shortest and longest pause after a failure, in milliseconds; it doubles from one failure in a row to the next. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Runs a step again and again for as long as it finds something to do. Calls of {@linkcode Pump.wake} while it runs
 * come to one more step. A step that throws is reported and tried again after a pause: nothing stops a pump but
 * {@linkcode Pump.stop}.
 */
export class Pump {
  readonly #step: () => Promise<boolean>;
  readonly #onError: (error: unknown) => void;
  readonly #stop = new AbortController();
  #wanted = false;
  #running: Promise<void> | undefined;

  /**
   * @param step Does one piece of work; resolves to whether there may be more.
   * @param onError Told of everything that a step throws.
   */
  constructor(step: () => Promise<boolean>, onError: (error: unknown) => void) {
    this.#step = step;
    this.#onError = onError;
  }

  /** Says that there may be something to do. */
  wake(): void {
    this.#wanted = true;
    this.#running ??= this.#run();
  }

  /** Starts no further step, and returns when the one in progress has ended. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS;
    while (this.#wanted && !this.#stop.signal.aborted) {
      this.#wanted = false;
      try {
        if (await this.#step()) this.#wanted = true;
        pauseMs = FIRST_PAUSE_MS;
      } catch (error) {
        if (this.#stop.signal.aborted) break;
        this.#wanted = true;
        this.#onError(error);
        await pause(pauseMs, this.#stop.signal);
        pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
      }
    }
    this.#running = undefined;
  }
}

/** Waits, no longer than until the signal aborts, and keeps no process alive. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    Deno.unrefTimer(timer);
    if (signal.aborted) end();
    else signal.addEventListener("abort", end);
  });
}
