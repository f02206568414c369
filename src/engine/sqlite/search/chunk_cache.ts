import { GenerationCache } from "../../../data_structures/mod.ts";

/** A value of a chunk or document, with its size. */
export type SizedValue<V> = readonly [id: number, value: V, size?: number];

/** Share of the maximum size for values that were read once. */
const RECENT_SHARE = 1 / 8;
/** Number of ids that were read last. */
const REMEMBERED = 4096;

/**
 * Values of chunks or documents. Those that searches use often stay in memory until the database changes.
 *
 * Most values are read by one search only. They are dropped soon, since memory that lives longer is expensive to
 * collect, and only their ids are remembered.
 */
export class ChunkCache<V> {
  readonly #frequent: GenerationCache<number, V>;
  readonly #recent: GenerationCache<number, V>;
  /** The last id of each remainder. */
  readonly #seen = new Uint32Array(REMEMBERED);
  #version = "";

  /** @param maxSize Maximum sum of the sizes of all values. */
  constructor(maxSize: number) {
    this.#frequent = new GenerationCache(maxSize * (1 - RECENT_SHARE));
    this.#recent = new GenerationCache(maxSize * RECENT_SHARE);
  }

  /** Removes the values of another version of the database. Call it first in every read transaction. */
  refresh(version: string): void {
    if (version === this.#version) return;
    this.#frequent.clear();
    this.#recent.clear();
    this.#version = version;
  }

  /**
   * Returns the values of those ids that have one.
   *
   * @param load Returns the values of ids that are not in memory. Called only if there are any.
   */
  read(
    ids: readonly number[],
    load: (missing: readonly number[]) => Iterable<SizedValue<V>>,
  ): Map<number, V> {
    const values = new Map<number, V>();
    const missing: number[] = [];
    for (const id of ids) {
      const known = this.#recent.get(id) ?? this.#frequent.get(id);
      if (known === undefined) missing.push(id);
      else values.set(id, known);
    }
    if (missing.length === 0) return values;
    for (const [id, value, size] of load(missing)) {
      values.set(id, value);
      const isFrequent = this.#seen[id % REMEMBERED] === id;
      (isFrequent ? this.#frequent : this.#recent).set(id, value, size);
      this.#seen[id % REMEMBERED] = id;
    }
    return values;
  }
}
