/** Number of ticks in the shortest timeout. */
const TICKS_PER_TIMEOUT = 8;

/**
 * A coarse clock: counts the ticks of one interval timer for all deadlines of a server. A timer for each
 * request would cost more than parsing it.
 *
 * Ticks are counted instead of reading a clock. Steps of the system time have no effect, and a process that
 * was stopped or busy for a while does not find that every client has timed out meanwhile.
 */
export class TickClock implements Disposable {
  /** Number of ticks so far. */
  now = 0;
  readonly #tickMs: number;
  readonly #onTick: () => void;
  #interval: ReturnType<typeof setInterval> | undefined;

  /** @param shortestMs Shortest timeout that is measured, in milliseconds. */
  constructor(shortestMs: number, onTick: () => void) {
    this.#tickMs = Math.max(1, shortestMs / TICKS_PER_TIMEOUT);
    this.#onTick = onTick;
  }

  /** Returns the tick at which a timeout that begins now has passed. */
  after(ms: number): number {
    // The next tick may follow at once, so it does not count.
    return this.now + 1 + Math.ceil(ms / this.#tickMs);
  }

  /** Starts or stops ticking: nothing wakes an idle process. */
  run(isNeeded: boolean): void {
    if (isNeeded) this.#interval ??= setInterval(() => this.#tick(), this.#tickMs);
    else this[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#interval);
    this.#interval = undefined;
  }

  #tick(): void {
    this.now++;
    this.#onTick();
  }
}
