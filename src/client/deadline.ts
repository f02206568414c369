/**
 * The one deadline of a call. Everything a call waits for is raced against it, because a handler in this process
 * need not obey the request's signal, and neither need a body that it streams.
 */
export class Deadline implements Disposable {
  /** Aborts when the time is over or the caller cancels; goes into the request. */
  readonly signal: AbortSignal;
  #controller = new AbortController();
  #over: Promise<never>;
  #reject: (reason: Error) => void;
  #timer: ReturnType<typeof setTimeout>;
  #caller: AbortSignal | undefined;
  #state: "open" | "expired" | "cancelled" = "open";

  constructor(readonly ms: number, caller?: AbortSignal) {
    this.signal = this.#controller.signal;
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => {});
    this.#over = promise;
    this.#reject = reject;
    this.#caller = caller;
    this.#timer = setTimeout(() => this.#end("expired"), ms);
    if (caller?.aborted) this.#end("cancelled");
    else caller?.addEventListener("abort", this.#onAbort);
  }

  /** Why it is over; `open` while it is not. */
  get state(): "open" | "expired" | "cancelled" {
    return this.#state;
  }

  /** Settles as `work` does, or rejects as soon as the deadline is over. */
  race<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#over]);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener("abort", this.#onAbort);
  }

  #onAbort = (): void => this.#end("cancelled");

  #end(state: "expired" | "cancelled"): void {
    if (this.#state !== "open") return;
    this.#state = state;
    this[Symbol.dispose]();
    const reason = new DOMException(
      `The call was ${state === "expired" ? "too slow" : "cancelled"}`,
      "AbortError",
    );
    this.#reject(reason);
    this.#controller.abort(reason);
  }
}

/** Waits, or rejects with the signal's reason; leaves no timer and no listener behind. */
export function abortableDelay(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  if (signal.aborted) {
    reject(signal.reason);
    return promise;
  }
  const onAbort = () => {
    clearTimeout(timer);
    reject(signal.reason);
  };
  const timer = setTimeout(() => {
    signal.removeEventListener("abort", onAbort);
    resolve();
  }, ms);
  signal.addEventListener("abort", onAbort, { once: true });
  return promise;
}
