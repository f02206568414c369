/** Calls a function after a number of milliseconds. Returns a function that cancels the timer. */
export type StartTimer = (onTimeout: () => void, ms: number) => () => void;

/** Options of {@linkcode Deadline}. */
export interface DeadlineOptions {
  /** Cancels the call. */
  readonly signal?: AbortSignal | undefined;
  /** @default `setTimeout` */
  readonly startTimer?: StartTimer | undefined;
}

/**
 * Deadline of a call, combined with the caller's cancellation. Every wait of the call is raced against it,
 * because an in-process handler, or a body that it streams, may ignore the request's signal.
 *
 * Not built on `AbortSignal.timeout`: its timer cannot be cleared, so each call would keep one for the whole
 * timeout.
 */
export class Deadline implements Disposable {
  /** Signal for the request: aborts when the deadline passes or the caller cancels. */
  readonly signal: AbortSignal;
  readonly #controller = new AbortController();
  readonly #stopTimer: () => void;
  readonly #caller: AbortSignal | undefined;
  readonly #endsAt: number;
  #state: "open" | "expired" | "cancelled" = "open";
  /** Rejects the wait in progress. */
  #rejectWait: ((reason: unknown) => void) | undefined;

  /** Starts the timer. */
  constructor(readonly ms: number, { signal: caller, startTimer = startTimeout }: DeadlineOptions = {}) {
    this.signal = this.#controller.signal;
    this.#caller = caller;
    this.#endsAt = performance.now() + ms;
    this.#stopTimer = startTimer(() => this.#end("expired"), ms);
    if (caller?.aborted) this.#end("cancelled");
    else caller?.addEventListener("abort", this.#onAbort);
  }

  /** `open` until the deadline passes or the caller cancels. */
  get state(): "open" | "expired" | "cancelled" {
    return this.#state;
  }

  /** Time left in milliseconds; 0 after the end. */
  get remainingMs(): number {
    return this.#state === "open" ? Math.max(0, this.#endsAt - performance.now()) : 0;
  }

  /** Settles like `work`, or rejects as soon as the deadline ends. A call waits for one thing at a time. */
  race<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#state === "open") this.#rejectWait = reject;
      else reject(this.signal.reason);
      work.then(resolve, reject);
    });
  }

  /** Clears the timer and the listener. */
  [Symbol.dispose](): void {
    this.#stopTimer();
    this.#caller?.removeEventListener("abort", this.#onAbort);
  }

  #onAbort = (): void => this.#end("cancelled");

  #end(state: "expired" | "cancelled"): void {
    if (this.#state !== "open") return;
    this.#state = state;
    this[Symbol.dispose]();
    const reason = new DOMException(
      `The engine call ${state === "expired" ? "timed out" : "was cancelled"}`,
      "AbortError",
    );
    this.#rejectWait?.(reason);
    this.#controller.abort(reason);
  }
}

function startTimeout(onTimeout: () => void, ms: number): () => void {
  const timer = setTimeout(onTimeout, ms);
  return () => clearTimeout(timer);
}
