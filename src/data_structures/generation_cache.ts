/** A value with its size. */
interface Entry<V> {
  readonly value: V;
  readonly size: number;
}

/**
 * A cache of bounded size that keeps the values that were used last. There are two generations: when the young one
 * has half of the maximum size, it becomes the old one, and the old one is dropped. Unlike an eviction value by
 * value from a `Map`, whose deleted entries every iteration steps over, this takes constant time.
 *
 * @example
 * ```ts
 * import { GenerationCache } from "./generation_cache.ts";
 * import { assertEquals } from "@std/assert";
 * const cache = new GenerationCache<string, number>(4);
 * for (const [index, key] of ["a", "b", "a", "c", "a", "d"].entries()) {
 *   if (cache.get(key) === undefined) cache.set(key, index);
 * }
 * assertEquals(["a", "b", "d"].map((key) => cache.get(key)), [0, undefined, 5]);
 * ```
 */
export class GenerationCache<K, V> {
  readonly #maxSize: number;
  #young = new Map<K, Entry<V>>();
  #old = new Map<K, Entry<V>>();
  #youngSize = 0;

  /** @param maxSize Maximum sum of the sizes of all values. */
  constructor(maxSize: number) {
    this.#maxSize = maxSize;
  }

  /** Returns a value, which counts as used. */
  get(key: K): V | undefined {
    const young = this.#young.get(key);
    if (young) return young.value;
    const old = this.#old.get(key);
    if (old) this.#add(key, old);
    return old?.value;
  }

  /**
   * Adds or replaces a value. One larger than half of the maximum size is not kept.
   *
   * @param size Size of the value. @default 1
   */
  set(key: K, value: V, size = 1): void {
    this.#add(key, { value, size });
  }

  /** Removes all values. */
  clear(): void {
    if (this.#young.size > 0) this.#young = new Map();
    if (this.#old.size > 0) this.#old = new Map();
    this.#youngSize = 0;
  }

  #add(key: K, entry: Entry<V>): void {
    const limit = this.#maxSize / 2;
    this.#youngSize -= this.#young.get(key)?.size ?? 0;
    this.#young.delete(key);
    this.#old.delete(key);
    if (entry.size > limit) return;
    if (this.#youngSize + entry.size > limit) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngSize = 0;
    }
    this.#young.set(key, entry);
    this.#youngSize += entry.size;
  }
}
