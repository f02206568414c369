/**
 * Deadlines for many short waits with one timer.
 *
 * A timer for each request cost as much as reading its body. Deadlines of bodies need no precision, so one interval
 * looks at all that wait, four times within the limit.
 */
export class Deadlines implements Disposable {
  readonly #limitMs: number;
  readonly #now: () => number;
  readonly #waiting = new Map<() => void, number>();
  #interval: ReturnType<typeof setInterval> | undefined;

  /**
   * @param limitMs What a wait may take, in milliseconds; it is ended at most a quarter later.
   * @param now The clock, in milliseconds.
   */
  constructor(limitMs: number, now: () => number = Date.now) {
    this.#limitMs = limitMs;
    this.#now = now;
  }

  /** Calls `expire` when the limit has passed, unless {@linkcode cancel} comes first. */
  start(expire: () => void): void {
    this.#waiting.set(expire, this.#now() + this.#limitMs);
    if (this.#interval === undefined) {
      this.#interval = setInterval(() => this.sweep(), Math.max(1, this.#limitMs / 4));
      Deno.unrefTimer(this.#interval);
    }
  }

  /** Ends a wait that is over. */
  cancel(expire: () => void): void {
    this.#waiting.delete(expire);
  }

  /** Ends the waits whose time has passed. */
  sweep(): void {
    const now = this.#now();
    for (const [expire, deadline] of this.#waiting) {
      if (deadline > now) break; // all waits are equally long, so they stand in the order of their deadlines
      this.#waiting.delete(expire);
      expire();
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#interval);
    this.#waiting.clear();
  }
}
