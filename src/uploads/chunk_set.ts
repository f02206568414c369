/** Which chunks of an upload there are, and how large: no bytes, no files. */
export class ChunkSet {
  readonly #sizes = new Map<number, number>();
  #bytes = 0;
  #highest = -1;

  /** Number of chunks. */
  get count(): number {
    return this.#sizes.size;
  }

  /** Bytes of all chunks. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Highest index, -1 when there is none. */
  get highest(): number {
    return this.#highest;
  }

  /** Lowest index that there is no chunk of. */
  get next(): number {
    return this.firstMissing(1)[0] ?? this.#highest + 1;
  }

  /** Indexes missing below the highest one. */
  get missingCount(): number {
    return this.#highest + 1 - this.#sizes.size;
  }

  /** Bytes that there would be with this chunk added, or put in place of the one with the same index. */
  bytesWith(index: number, size: number): number {
    return this.#bytes - (this.#sizes.get(index) ?? 0) + size;
  }

  /** Adds a chunk, or replaces the one with the same index. */
  set(index: number, size: number): void {
    this.#bytes = this.bytesWith(index, size);
    this.#sizes.set(index, size);
    this.#highest = Math.max(this.#highest, index);
  }

  /** The first missing indexes, at most `limit`. */
  firstMissing(limit: number): number[] {
    const missing: number[] = [];
    const wanted = Math.min(limit, this.missingCount);
    for (let index = 0; missing.length < wanted; index++) {
      if (!this.#sizes.has(index)) missing.push(index);
    }
    return missing;
  }
}
