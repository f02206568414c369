/** Aborts its signal after a time, or with another signal. Dispose of it to stop the timer. */
export class Deadline implements Disposable {
  readonly #controller = new AbortController();
  readonly #timer: ReturnType<typeof setTimeout>;
  /** Aborted at the deadline, or with the other signal and its reason. */
  readonly signal: AbortSignal;

  constructor(timeoutMs: number, signal?: AbortSignal) {
    this.signal = signal ? AbortSignal.any([signal, this.#controller.signal]) : this.#controller.signal;
    this.#timer = setTimeout(() => this.#controller.abort(), timeoutMs);
  }

  /** Whether the time has passed. */
  get hasPassed(): boolean {
    return this.#controller.signal.aborted;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}
