/** Ids with their scores, highest score first. */
export interface Ranked {
  readonly ids: Uint32Array<ArrayBuffer>;
  readonly scores: Float64Array<ArrayBuffer>;
}

/**
 * Keeps the `capacity` highest-scoring ids of those offered, preferring smaller ids among equal scores.
 *
 * @example
 * ```ts
 * import { TopK } from "./top_k.ts";
 * import { assertEquals } from "@std/assert";
 * const top = new TopK(2);
 * for (const [id, score] of [[1, 0.5], [2, 0.9], [3, 0.7]] as const) top.offer(id, score);
 * assertEquals([...top.ranked().ids], [2, 3]);
 * ```
 */
export class TopK {
  // A binary heap with the lowest-ranked id, the next to be replaced, at its root.
  readonly #ids: Uint32Array<ArrayBuffer>;
  readonly #scores: Float64Array<ArrayBuffer>;
  #size = 0;

  /** @param capacity Maximum number of ids, at least 1. */
  constructor(capacity: number) {
    this.#ids = new Uint32Array(capacity);
    this.#scores = new Float64Array(capacity);
  }

  /** Minimum score that {@linkcode offer} accepts; `-Infinity` until the capacity is reached. */
  get threshold(): number {
    return this.#size < this.#ids.length ? -Infinity : this.#scores[0]!;
  }

  /** Adds an id if it ranks among the top. Ignores a score of `NaN`. */
  offer(id: number, score: number): void {
    if (!(score >= this.threshold)) return;
    if (this.#size < this.#ids.length) this.#siftUp(this.#size++, id, score);
    else if (ranksBelow(this.#scores[0]!, this.#ids[0]!, score, id)) {
      siftDown({ ids: this.#ids, scores: this.#scores }, this.#size, id, score);
    }
  }

  /** Returns the ids kept so far, in order. */
  ranked(): Ranked {
    const ids = this.#ids.slice(0, this.#size);
    const scores = this.#scores.slice(0, this.#size);
    // Moves the root, the lowest-ranked id, behind the heap.
    for (let last = this.#size - 1; last > 0; last--) {
      const [id, score] = [ids[last]!, scores[last]!];
      ids[last] = ids[0]!;
      scores[last] = scores[0]!;
      siftDown({ ids, scores }, last, id, score);
    }
    return { ids, scores };
  }

  #siftUp(at: number, id: number, score: number): void {
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!ranksBelow(score, id, this.#scores[parent]!, this.#ids[parent]!)) break;
      this.#set(at, this.#ids[parent]!, this.#scores[parent]!);
      at = parent;
    }
    this.#set(at, id, score);
  }

  #set(at: number, id: number, score: number): void {
    this.#ids[at] = id;
    this.#scores[at] = score;
  }
}

/** Replaces the root of the heap of the first `size` ids. */
function siftDown({ ids, scores }: Ranked, size: number, id: number, score: number): void {
  let at = 0;
  while (true) {
    let child = 2 * at + 1;
    if (child >= size) break;
    const right = child + 1;
    if (right < size && ranksBelow(scores[right]!, ids[right]!, scores[child]!, ids[child]!)) child = right;
    if (!ranksBelow(scores[child]!, ids[child]!, score, id)) break;
    ids[at] = ids[child]!;
    scores[at] = scores[child]!;
    at = child;
  }
  ids[at] = id;
  scores[at] = score;
}

function ranksBelow(score: number, id: number, otherScore: number, otherId: number): boolean {
  return score < otherScore || (score === otherScore && id > otherId);
}
