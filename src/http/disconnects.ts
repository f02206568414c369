import { Deadlines } from "./deadlines.ts";

/** How long a request runs before anybody looks whether its client is still there, in milliseconds. */
const GRACE_MS = 20;
/** How long after that its answer is to begin, in milliseconds. */
const BEGIN_MS = 180;

/** Who wants to know of a client that goes away. */
export interface Watcher {
  /** The client went away; called some milliseconds after it did, and once at most. */
  disconnected(): void;
  /** The request takes long: its answer should begin now, if it is one that can begin before it is known. */
  begin(): void;
}

/**
 * Tells when clients go away before they were answered.
 *
 * Asking a request of `Deno.serve` for its signal costs as much as answering a small one. Most are answered within
 * a millisecond, so only those that take longer are asked.
 *
 * The signal is not enough: as long as no answer has begun, Deno (2.8 and 2.9) misses every disconnect of a request
 * whose body came in a packet of its own, as those of some clients always do. Once it sends, it notices at once.
 */
export class Disconnects implements Disposable {
  readonly #grace = new Deadlines(GRACE_MS);
  readonly #patience = new Deadlines(BEGIN_MS);

  /**
   * Watches over the client of a request.
   *
   * @returns Stops it; to be called when the request was answered.
   */
  watch(request: Request, watcher: Watcher): () => void {
    const gone = () => watcher.disconnected();
    let stop: () => void;
    const grace = this.#grace.start(() => {
      const { signal } = request;
      let patience: ReturnType<Deadlines["start"]> | undefined = this.#patience.start(() => {
        patience = undefined;
        watcher.begin();
      });
      stop = () => {
        signal.removeEventListener("abort", gone);
        if (patience) this.#patience.end(patience);
        patience = undefined;
      };
      if (signal.aborted) gone();
      else signal.addEventListener("abort", gone, { once: true });
    });
    stop = () => this.#grace.end(grace);
    return () => stop();
  }

  [Symbol.dispose](): void {
    this.#grace[Symbol.dispose]();
    this.#patience[Symbol.dispose]();
  }
}
