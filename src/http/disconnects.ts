import { Deadlines } from "./deadlines.ts";

/** How long a request runs before anybody looks whether its client is still there, in milliseconds. */
const GRACE_MS = 20;

/**
 * Tells when clients go away before they were answered.
 *
 * Asking a request of `Deno.serve` for its signal costs as much as answering a small one. Most are answered within
 * a millisecond, so only those that take longer are asked.
 */
export class Disconnects implements Disposable {
  readonly #grace = new Deadlines(GRACE_MS);

  /**
   * Calls `listener` once the client of `request` is gone, some milliseconds late at most.
   *
   * @returns Stops it; to be called when the request was answered.
   */
  watch(request: Request, listener: () => void): () => void {
    let signal: AbortSignal | undefined;
    const wait = this.#grace.start(() => {
      signal = request.signal;
      if (signal.aborted) listener();
      else signal.addEventListener("abort", listener, { once: true });
    });
    return () => {
      if (signal) signal.removeEventListener("abort", listener);
      else this.#grace.end(wait);
    };
  }

  [Symbol.dispose](): void {
    this.#grace[Symbol.dispose]();
  }
}
