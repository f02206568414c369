import { kthLargest } from "./kth_largest.ts";

/**
 * Keeps the `capacity` highest-scoring ids of those offered, in no order, and any of those with equal scores. Takes
 * constant time per id, while `TopK` takes time by its capacity, and ranks the ids.
 *
 * @example
 * ```ts
 * import { TopSet } from "./top_set.ts";
 * import { assertEquals } from "@std/assert";
 * const top = new TopSet(2);
 * for (const [id, score] of [[1, 0.5], [2, 0.875], [3, 0.75]] as const) top.offer(id, score);
 * assertEquals([...top.kept().ids].sort(), [2, 3]);
 * ```
 */
export class TopSet {
  readonly #capacity: number;
  readonly #ids: Uint32Array<ArrayBuffer>;
  readonly #scores: Float32Array<ArrayBuffer>;
  readonly #scratch: Float32Array<ArrayBuffer>;
  #size = 0;
  #threshold: number;

  /**
   * @param capacity Maximum number of ids, at least 1.
   * @param threshold Scores below this one are not kept.
   */
  constructor(capacity: number, threshold = -Infinity) {
    this.#capacity = capacity;
    this.#threshold = threshold;
    // Removes ids whenever twice as many are kept.
    this.#ids = new Uint32Array(2 * capacity);
    this.#scores = new Float32Array(2 * capacity);
    this.#scratch = new Float32Array(2 * capacity);
  }

  /** Whether as many ids as possible have been kept. */
  get isFull(): boolean {
    return this.#size >= this.#capacity;
  }

  /** Scores below this one cannot be kept. */
  get threshold(): number {
    return this.#threshold;
  }

  /** Adds an id if it may rank among the top. Ignores a score of `NaN`. */
  offer(id: number, score: number): void {
    if (!(score >= this.#threshold)) return;
    if (this.#size === this.#ids.length) this.#reduce();
    this.#ids[this.#size] = id;
    this.#scores[this.#size++] = score;
  }

  /** Returns the ids kept so far, with their scores as float32. */
  kept(): { readonly ids: Uint32Array<ArrayBuffer>; readonly scores: Float32Array<ArrayBuffer> } {
    if (this.#size > this.#capacity) this.#reduce();
    return { ids: this.#ids.subarray(0, this.#size), scores: this.#scores.subarray(0, this.#size) };
  }

  #reduce(): void {
    const scratch = this.#scratch.subarray(0, this.#size);
    scratch.set(this.#scores.subarray(0, this.#size));
    const threshold = kthLargest(scratch, this.#capacity);
    const [ids, scores] = [this.#ids, this.#scores];
    let size = 0;
    // Without a branch: a processor would predict every other one wrongly.
    for (let i = 0; i < this.#size; i++) {
      const score = scores[i]!;
      ids[size] = ids[i]!;
      scores[size] = score;
      size += Number(score >= threshold);
    }
    for (let i = size - 1; size > this.#capacity; i--) {
      if (scores[i] !== threshold) continue;
      ids[i] = ids[--size]!;
      scores[i] = scores[size]!;
    }
    this.#size = size;
    this.#threshold = threshold;
  }
}
