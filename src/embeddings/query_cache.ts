/** The vectors of the queries that were asked last. */
export class QueryCache {
  readonly #capacity: number;
  /** In the order of their last use, oldest first. */
  readonly #vectors = new Map<string, Float32Array>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(query: string): Float32Array | undefined {
    const vector = this.#vectors.get(query);
    if (vector) this.set(query, vector);
    return vector;
  }

  set(query: string, vector: Float32Array): void {
    this.#vectors.delete(query);
    this.#vectors.set(query, vector);
    if (this.#vectors.size <= this.#capacity) return;
    for (const oldest of this.#vectors.keys()) {
      this.#vectors.delete(oldest);
      break;
    }
  }
}
