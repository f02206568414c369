import { delay } from "../async/mod.ts";

/** Maximum number of hosts that are remembered. */
const MAX_HOSTS = 1_000;

/** Spaces the requests to each host. */
export class HostDelay {
  /** Time of the next request by host, of `performance.now`. Hosts are in the order of their latest request. */
  readonly #next = new Map<string, number>();

  /**
   * Waits until a request to the host may start.
   *
   * @param delayMs Time between this request and the next one.
   * @throws The reason of `signal`.
   */
  async wait(host: string, delayMs: number, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    // Not the time of day: after the system clock was set back by an hour, a crawl would wait for that hour.
    const now = performance.now();
    const start = Math.max(now, this.#next.get(host) ?? 0);
    this.#next.delete(host);
    this.#next.set(host, start + delayMs);
    if (this.#next.size > MAX_HOSTS) this.#next.delete(this.#next.keys().next().value!);
    if (start === now) return;
    await delay(start - now, signal, { ref: true });
    signal?.throwIfAborted();
  }
}
