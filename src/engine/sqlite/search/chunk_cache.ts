import { GenerationCache } from "../../../data_structures/mod.ts";

/** A value of a chunk, with its size. */
export type SizedValue<V> = readonly [chunk: number, value: V, size?: number];

/** Values of chunks. Those that searches use often stay in memory until the database changes. */
export class ChunkCache<V> {
  readonly #values: GenerationCache<number, V>;
  #version = "";

  /** @param maxSize Maximum sum of the sizes of all values. */
  constructor(maxSize: number) {
    this.#values = new GenerationCache(maxSize);
  }

  /** Removes the values of another version of the database. Call it first in every read transaction. */
  refresh(version: string): void {
    if (version === this.#version) return;
    this.#values.clear();
    this.#version = version;
  }

  /**
   * Returns the values of those chunks that have one.
   *
   * @param load Returns the values of chunks that are not in memory. Called only if there are any.
   */
  read(
    chunks: readonly number[],
    load: (missing: readonly number[]) => Iterable<SizedValue<V>>,
  ): Map<number, V> {
    const values = new Map<number, V>();
    const missing: number[] = [];
    for (const chunk of chunks) {
      const known = this.#values.get(chunk);
      if (known === undefined) missing.push(chunk);
      else values.set(chunk, known);
    }
    if (missing.length === 0) return values;
    for (const [chunk, value, size] of load(missing)) {
      values.set(chunk, value);
      this.#values.set(chunk, value, size);
    }
    return values;
  }
}
