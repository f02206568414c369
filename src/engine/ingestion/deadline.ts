/** Calls a function after a time, in which pauses do not count. Disposing cancels it. */
export class Deadline implements Disposable {
  readonly #onExpire: () => void;
  #remainingMs: number;
  #startedAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ms: number, onExpire: () => void) {
    this.#remainingMs = ms;
    this.#onExpire = onExpire;
    this.#resume();
  }

  /** Runs `work` while the time stands still. */
  async paused<T>(work: () => Promise<T>): Promise<T> {
    this[Symbol.dispose]();
    this.#remainingMs -= performance.now() - this.#startedAt;
    try {
      return await work();
    } finally {
      this.#resume();
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  #resume(): void {
    this.#startedAt = performance.now();
    this.#timer = setTimeout(this.#onExpire, this.#remainingMs);
  }
}
