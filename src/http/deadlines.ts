/** A wait that has a deadline; one of a doubly linked list, in the order of the deadlines. */
interface Wait {
  readonly deadline: number;
  readonly expire: () => void;
  before: Wait | undefined;
  after: Wait | undefined;
}

/**
 * Deadlines for many short waits with one timer.
 *
 * A timer for each request cost as much as reading its body. Deadlines of bodies need no precision, so one interval
 * looks at all that wait, four times within the limit. They stand in a list, because a Map that is added to and
 * deleted from at every request cost as much again.
 */
export class Deadlines implements Disposable {
  readonly #limitMs: number;
  readonly #now: () => number;
  #first: Wait | undefined;
  #last: Wait | undefined;
  #interval: ReturnType<typeof setInterval> | undefined;

  /**
   * @param limitMs What a wait may take, in milliseconds; it is ended at most a quarter later.
   * @param now The clock, in milliseconds.
   */
  constructor(limitMs: number, now: () => number = Date.now) {
    this.#limitMs = limitMs;
    this.#now = now;
  }

  /**
   * Calls `expire` when the limit has passed, unless it is ended before.
   *
   * @returns To be given to {@linkcode end} when the wait is over.
   */
  start(expire: () => void): Wait {
    const wait: Wait = {
      deadline: this.#now() + this.#limitMs,
      expire,
      before: this.#last,
      after: undefined,
    };
    if (this.#last) this.#last.after = wait;
    else this.#first = wait;
    this.#last = wait;
    if (this.#interval === undefined) {
      this.#interval = setInterval(() => this.sweep(), Math.max(1, this.#limitMs / 4));
      Deno.unrefTimer(this.#interval);
    }
    return wait;
  }

  /** Ends a wait; once. */
  end({ before, after }: Wait): void {
    if (before) before.after = after;
    else this.#first = after;
    if (after) after.before = before;
    else this.#last = before;
  }

  /** Expires and ends the waits whose time has passed. */
  sweep(): void {
    const now = this.#now();
    while (this.#first && this.#first.deadline <= now) {
      const { expire } = this.#first;
      this.end(this.#first);
      expire();
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#interval);
    this.#first = this.#last = undefined;
  }
}
