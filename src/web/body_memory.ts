import type { FairShare } from "./fair_share.ts";

/**
 * Capacity of a server for large request bodies, in bytes. It counts a body from its first bytes until its
 * request has ended, because parsed values live as long.
 */
export const MAX_BUFFERED_BYTES = 64 * 2 ** 20;

/**
 * Maximum size in bytes of a body that needs no capacity. Such bodies are limited by the number of
 * connections, and most requests are that small.
 */
export const SMALL_BODY_BYTES = 16 * 1024;

/**
 * The bytes that one request holds of a capacity that all requests share.
 *
 * Threat: requests that announce large bodies, or send them and wait. Memory is charged as bytes arrive, never
 * by `Content-Length`, so an announcement costs nothing.
 */
export class BodyMemory implements Disposable {
  readonly #capacity: FairShare;
  readonly #client: string;
  #bytes = 0;

  /** @param client Client that the bytes count for, see {@linkcode clientAddress}. */
  constructor(capacity: FairShare, client: string) {
    this.#capacity = capacity;
    this.#client = client;
  }

  /** Charges further bytes, unless they exceed the capacity or the client's share of it. */
  tryGrow(bytes: number): boolean {
    if (!this.#capacity.tryTake(this.#client, bytes)) return false;
    this.#bytes += bytes;
    return true;
  }

  /** Gives all bytes back. */
  [Symbol.dispose](): void {
    if (this.#bytes > 0) this.#capacity.release(this.#client, this.#bytes);
    this.#bytes = 0;
  }
}
