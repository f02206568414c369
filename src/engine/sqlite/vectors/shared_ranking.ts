import type { NearestChunks, SharedTarget } from "./protocol.ts";
import type { VectorTotals } from "./vector_totals.ts";

/*
 * The thread that scans vectors and the one that searches exchange messages through the main thread: two of 0.15 ms each,
 * and more if it is busy. A search thread with nothing else to do waits for its ranking in shared memory, which takes
 * 0.02 ms. The ranking is sent as a message, too, unless the thread has read it by then.
 */

/** Maximum number of hits, and of dimensions of the query, in shared memory. Longer ones are sent as messages only. */
const MAX_HITS = 1024;
const MAX_DIMENSIONS = 4096;

/** Indexes of the integers. */
const SIGNAL = 0;
const WRITTEN = 1;
const TAKEN = 2;
const INTERRUPTED = 3;
const HITS = 4;
const SET = 5;
const DIMENSIONS = 6;
const EMBEDDED = 7;
const REFUSED = 8;
/** Indexes of the numbers after the integers. */
const SPREAD = 0;
const TOTAL = 1;

const NUMBERS_OFFSET = 40;
const IDS_OFFSET = NUMBERS_OFFSET + 2 * Float64Array.BYTES_PER_ELEMENT;
const SCORES_OFFSET = IDS_OFFSET + MAX_HITS * Uint32Array.BYTES_PER_ELEMENT;
const QUERY_OFFSET = SCORES_OFFSET + MAX_HITS * Float32Array.BYTES_PER_ELEMENT;
const BYTES = QUERY_OFFSET + MAX_DIMENSIONS * Float32Array.BYTES_PER_ELEMENT;

/** A ranking that was passed in shared memory. */
export interface TakenRanking extends Pick<NearestChunks, "ids" | "scores" | "spread"> {
  readonly total: number;
  readonly query: { readonly vector: Float32Array; readonly setId: number };
  readonly totals: VectorTotals;
}

/**
 * Memory in which a thread waits for one ranking at a time. A ranking has a new id each time, so that a late one is not taken
 * for the next.
 *
 * @example
 * ```ts
 * import { SharedRanking } from "./shared_ranking.ts";
 * import { assertEquals } from "@std/assert";
 * const memory = SharedRanking.allocate();
 * const [ids, scores] = [Uint32Array.of(7), Float32Array.of(0.5)];
 * const nearest = { ids, scores, setId: 1, spread: 0.1, embedded: 2, passing: 2 };
 * const target = { memory, id: 3, totals: { embedded: 2, refused: 0 } };
 * new SharedRanking(memory).write(target, Float32Array.of(1, 0), nearest);
 * assertEquals(new SharedRanking(memory).wait(3, 50)?.ids, ids);
 * ```
 */
export class SharedRanking {
  readonly #memory: SharedArrayBuffer;
  readonly #integers: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#memory = memory;
    this.#integers = new Int32Array(memory, 0, NUMBERS_OFFSET / Int32Array.BYTES_PER_ELEMENT);
  }

  /** Returns memory for one. */
  static allocate(): SharedArrayBuffer {
    return new SharedArrayBuffer(BYTES);
  }

  /** Lets a thread wait again after an interruption. */
  reset(): void {
    Atomics.store(this.#integers, INTERRUPTED, 0);
  }

  /** Whether {@linkcode SharedRanking.wait} does not wait. */
  get isInterrupted(): boolean {
    return Atomics.load(this.#integers, INTERRUPTED) !== 0;
  }

  /** Ends {@linkcode SharedRanking.wait}, now and until the next {@linkcode SharedRanking.reset}. */
  interrupt(): void {
    Atomics.store(this.#integers, INTERRUPTED, 1);
    this.#signal();
  }

  /** Whether the waiting thread has this ranking. */
  isTaken(id: number): boolean {
    return Atomics.load(this.#integers, TAKEN) === id;
  }

  /** Passes a ranking to the waiting thread, unless it is too long. */
  write({ id, totals }: SharedTarget, query: Float32Array, nearest: NearestChunks): void {
    const { ids, scores, setId, spread, passing } = nearest;
    if (ids.length > MAX_HITS || query.length > MAX_DIMENSIONS) return;
    const integers = this.#integers;
    // First: a search that failed may leave a ranking that is written while the next one takes its own.
    Atomics.store(integers, WRITTEN, 0);
    integers[HITS] = ids.length;
    integers[SET] = setId;
    integers[DIMENSIONS] = query.length;
    integers[EMBEDDED] = totals.embedded;
    integers[REFUSED] = totals.refused;
    const numbers = new Float64Array(this.#memory, NUMBERS_OFFSET, 2);
    numbers[SPREAD] = spread ?? NaN;
    numbers[TOTAL] = passing;
    new Uint32Array(this.#memory, IDS_OFFSET, ids.length).set(ids);
    new Float32Array(this.#memory, SCORES_OFFSET, scores.length).set(scores);
    new Float32Array(this.#memory, QUERY_OFFSET, query.length).set(query);
    // Last: whoever reads this id reads all that was written before.
    Atomics.store(integers, WRITTEN, id);
    this.#signal();
  }

  /** Returns a ranking if it has been written. */
  take(id: number): TakenRanking | undefined {
    const integers = this.#integers;
    if (Atomics.load(integers, WRITTEN) !== id) return undefined;
    const [spread = NaN, total = 0] = new Float64Array(this.#memory, NUMBERS_OFFSET, 2);
    const [count, dimensions] = [integers[HITS]!, integers[DIMENSIONS]!];
    const taken = {
      ids: new Uint32Array(this.#memory, IDS_OFFSET, count).slice(),
      scores: new Float32Array(this.#memory, SCORES_OFFSET, count).slice(),
      spread: Number.isNaN(spread) ? undefined : spread,
      total,
      query: {
        vector: new Float32Array(new Float32Array(this.#memory, QUERY_OFFSET, dimensions)),
        setId: integers[SET]!,
      },
      totals: { embedded: integers[EMBEDDED]!, refused: integers[REFUSED]! },
    };
    // Another ranking may have overwritten a part of it. The reply follows as a message then.
    if (Atomics.load(integers, WRITTEN) !== id) return undefined;
    Atomics.store(integers, TAKEN, id);
    return taken;
  }

  /**
   * Blocks the calling thread until a ranking has been written.
   *
   * @returns Undefined when it was interrupted, or after `timeoutMs`.
   */
  wait(id: number, timeoutMs: number): TakenRanking | undefined {
    const end = performance.now() + timeoutMs;
    for (let rest = timeoutMs; rest > 0; rest = end - performance.now()) {
      // Read first, so that a change after the tests below ends the wait.
      const signal = Atomics.load(this.#integers, SIGNAL);
      const taken = this.take(id);
      if (taken) return taken;
      if (this.isInterrupted) return undefined;
      Atomics.wait(this.#integers, SIGNAL, signal, rest);
    }
    return this.take(id);
  }

  #signal(): void {
    Atomics.add(this.#integers, SIGNAL, 1);
    Atomics.notify(this.#integers, SIGNAL);
  }
}
