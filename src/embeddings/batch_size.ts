/**
 * Target duration of a request in milliseconds. A query may have to wait that long for a model that runs one
 * request at a time.
 */
const TARGET_MS = 1000;
/** Number of texts in the first request, whose duration is unknown. */
const INITIAL_SIZE = 8;

/**
 * Adapts the number of texts per request so that a request takes about 1 s.
 *
 * Also learns the server's limit: a size that was rejected is never used again, and a timeout halves the next
 * request.
 */
export class BatchSize {
  #maxSize: number;
  #size: number;

  /** @param maxSize Maximum number of texts in a request. */
  constructor(maxSize: number) {
    this.#maxSize = maxSize;
    this.#size = Math.min(INITIAL_SIZE, maxSize);
  }

  /** Number of texts for the next request. */
  get value(): number {
    return this.#size;
  }

  /** Records a request that was rejected because of its size. `acceptedSize` is the largest accepted size. */
  recordRejection(acceptedSize: number): void {
    this.#maxSize = Math.max(1, Math.min(this.#maxSize, acceptedSize));
    this.#size = Math.min(this.#size, this.#maxSize);
  }

  /** Records a request that timed out. */
  recordTimeout(size: number): void {
    this.#size = Math.max(1, Math.min(this.#size, Math.floor(size / 2)));
  }

  /** Records a request that succeeded in `ms` milliseconds. */
  recordSuccess(size: number, ms: number): void {
    if (ms > TARGET_MS) {
      this.#size = Math.max(1, Math.min(this.#size, Math.floor(size * TARGET_MS / ms)));
    } else if (size >= this.#size) {
      const increment = Math.max(1, Math.floor(size / 4));
      const fitting = Math.floor(size * TARGET_MS / Math.max(ms, 1));
      this.#size = Math.min(Math.max(size, Math.min(size + increment, fitting)), this.#maxSize);
    }
  }
}
