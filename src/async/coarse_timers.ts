import { SlotList, type Slotted } from "../data_structures/mod.ts";

/** Options of {@linkcode CoarseTimers}. */
export interface CoarseTimersOptions {
  /** Interval between checks of the long timers, in milliseconds. @default {500} */
  readonly tickMs?: number;
  /** Timers of at most this many milliseconds are exact. @default {2_000} */
  readonly exactMs?: number;
}

interface CoarseTimer extends Slotted {
  readonly onTimeout: () => void;
  ticks: number;
}

/**
 * Timers for deadlines that almost always are cancelled. One interval checks the long ones: `setTimeout` and
 * `clearTimeout` cost 4 µs (Deno 2.9.6), a tenth of a small request.
 *
 * @example
 * ```ts
 * import { CoarseTimers } from "./coarse_timers.ts";
 * using timers = new CoarseTimers();
 * const cancel = timers.start(() => console.log("too slow"), 30_000);
 * cancel();
 * ```
 */
export class CoarseTimers implements Disposable {
  #timers = new SlotList<CoarseTimer>();
  readonly #exact = new Set<ReturnType<typeof setTimeout>>();
  readonly #tickMs: number;
  readonly #exactMs: number;
  #interval: ReturnType<typeof setInterval> | undefined;
  #isDisposed = false;

  constructor({ tickMs = 500, exactMs = 2_000 }: CoarseTimersOptions = {}) {
    this.#tickMs = tickMs;
    this.#exactMs = exactMs;
  }

  /**
   * Starts a timer. A long one ends up to two ticks late, and none after disposal.
   *
   * @returns Cancels the timer.
   */
  start(onTimeout: () => void, ms: number): () => void {
    if (this.#isDisposed) return () => {};
    if (ms <= this.#exactMs) return this.#startExact(onTimeout, ms);
    // The next tick may follow at once, so it does not count.
    const timer = { slot: -1, onTimeout, ticks: 1 + Math.ceil(ms / this.#tickMs) };
    this.#timers.add(timer);
    this.#interval ??= setInterval(() => this.#tick(), this.#tickMs);
    return () => void this.#timers.delete(timer);
  }

  /** Cancels all timers. */
  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#timers = new SlotList();
    this.#stop();
    for (const timer of this.#exact) clearTimeout(timer);
    this.#exact.clear();
  }

  #startExact(onTimeout: () => void, ms: number): () => void {
    const timer = setTimeout(() => {
      this.#exact.delete(timer);
      onTimeout();
    }, ms);
    this.#exact.add(timer);
    return () => {
      this.#exact.delete(timer);
      clearTimeout(timer);
    };
  }

  #tick(): void {
    for (const timer of this.#timers.toArray()) {
      if (--timer.ticks > 0) continue;
      this.#timers.delete(timer);
      timer.onTimeout();
    }
    // Stopped here and not by the last cancellation, because under load the next timer follows soon.
    if (this.#timers.size === 0) this.#stop();
  }

  #stop(): void {
    clearInterval(this.#interval);
    this.#interval = undefined;
  }
}
