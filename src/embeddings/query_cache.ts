/** A least-recently-used cache of query vectors. A `Map` iterates in insertion order, which makes it one. */
export class QueryCache {
  readonly #capacity: number;
  /** In the order of their last use, oldest first. */
  readonly #vectors = new Map<string, Float32Array>();

  /** @param capacity Maximum number of queries. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Returns the vector of a query and marks it as used. */
  get(query: string): Float32Array | undefined {
    const vector = this.#vectors.get(query);
    if (vector) this.set(query, vector);
    return vector;
  }

  /** Stores the vector of a query; removes the least recently used one if the cache is full. */
  set(query: string, vector: Float32Array): void {
    this.#vectors.delete(query);
    this.#vectors.set(query, vector);
    if (this.#vectors.size <= this.#capacity) return;
    for (const leastRecent of this.#vectors.keys()) {
      this.#vectors.delete(leastRecent);
      break;
    }
  }
}
