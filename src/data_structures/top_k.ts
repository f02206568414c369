/** Ids with scores, best first. */
export interface Ranked {
  readonly ids: Uint32Array<ArrayBuffer>;
  readonly scores: Float64Array<ArrayBuffer>;
}

/** The best of all that is offered: the largest scores, and of equal ones the smallest ids. */
export class TopK {
  // A heap with the worst at its root, which is what a better one takes the place of.
  readonly #ids: Uint32Array<ArrayBuffer>;
  readonly #scores: Float64Array<ArrayBuffer>;
  #size = 0;

  /** @param capacity How many are kept, at least 1. */
  constructor(capacity: number) {
    this.#ids = new Uint32Array(capacity);
    this.#scores = new Float64Array(capacity);
  }

  /** The score that has to be reached to be kept. */
  get least(): number {
    return this.#size < this.#ids.length ? -Infinity : this.#scores[0]!;
  }

  /** Keeps an id if it is among the best so far. A score that is no number never is. */
  offer(id: number, score: number): void {
    if (!(score >= this.least)) return;
    if (this.#size < this.#ids.length) this.#rise(this.#size++, id, score);
    else if (isWorse(this.#scores[0]!, this.#ids[0]!, score, id)) this.#sink(id, score);
  }

  /** What was kept. */
  ranked(): Ranked {
    const order = Array.from({ length: this.#size }, (_, at) => at).sort((a, b) =>
      this.#scores[b]! - this.#scores[a]! || this.#ids[a]! - this.#ids[b]!
    );
    return {
      ids: Uint32Array.from(order, (at) => this.#ids[at]!),
      scores: Float64Array.from(order, (at) => this.#scores[at]!),
    };
  }

  #rise(at: number, id: number, score: number): void {
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isWorse(score, id, this.#scores[parent]!, this.#ids[parent]!)) break;
      this.#move(parent, at);
      at = parent;
    }
    this.#set(at, id, score);
  }

  #sink(id: number, score: number): void {
    let at = 0;
    while (true) {
      let child = 2 * at + 1;
      if (child >= this.#size) break;
      const right = child + 1;
      if (
        right < this.#size &&
        isWorse(this.#scores[right]!, this.#ids[right]!, this.#scores[child]!, this.#ids[child]!)
      ) {
        child = right;
      }
      if (!isWorse(this.#scores[child]!, this.#ids[child]!, score, id)) break;
      this.#move(child, at);
      at = child;
    }
    this.#set(at, id, score);
  }

  #move(from: number, to: number): void {
    this.#set(to, this.#ids[from]!, this.#scores[from]!);
  }

  #set(at: number, id: number, score: number): void {
    this.#ids[at] = id;
    this.#scores[at] = score;
  }
}

function isWorse(score: number, id: number, otherScore: number, otherId: number): boolean {
  return score < otherScore || (score === otherScore && id > otherId);
}
