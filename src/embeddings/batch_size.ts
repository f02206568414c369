/** Time that a request should take, in milliseconds: as long does a query have to wait for its turn at a model that does one at a time. */
const TARGET_MS = 1000;
/** Most texts in the first request, whose time is not known. */
const FIRST = 8;

/**
 * How many texts go into one request: as many as take about 1 s, by what the last ones took. Servers have limits of their own,
 * which are learnt: a request that was refused only for its size is never made that large again; one that came to no end halves
 * the next.
 */
export class BatchSize {
  #most: number;
  #size: number;

  constructor(most: number) {
    this.#most = most;
    this.#size = Math.min(FIRST, most);
  }

  get value(): number {
    return this.#size;
  }

  tooLarge(accepted: number): void {
    this.#most = Math.max(1, Math.min(this.#most, accepted));
    this.#size = Math.min(this.#size, this.#most);
  }

  tooSlow(size: number): void {
    this.#size = Math.max(1, Math.min(this.#size, Math.floor(size / 2)));
  }

  /** @param ms Time that the request took. */
  succeeded(size: number, ms: number): void {
    if (ms > TARGET_MS) {
      this.#size = Math.max(1, Math.min(this.#size, Math.floor(size * TARGET_MS / ms)));
    } else if (size >= this.#size) {
      const step = Math.max(1, Math.floor(size / 4));
      const fitting = Math.floor(size * TARGET_MS / Math.max(ms, 1));
      this.#size = Math.min(Math.max(size, Math.min(size + step, fitting)), this.#most);
    }
  }
}
