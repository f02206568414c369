/**
 * A set of ids: it contains an id if bit `id & 7` of byte `id >> 3` is set. It contains no id beyond its end.
 */
export type Bitset = Uint8Array;

/**
 * Returns an empty set for ids from 0 through `maxId`.
 *
 * @example
 * ```ts
 * import { addId, bitset, hasId } from "./bitset.ts";
 * import { assertEquals } from "@std/assert";
 * const ids = bitset(10);
 * addId(ids, 3);
 * assertEquals([hasId(ids, 3), hasId(ids, 4), hasId(ids, 1000)], [true, false, false]);
 * ```
 */
export function bitset(maxId: number): Bitset {
  return new Uint8Array(Math.floor(maxId / 8) + 1);
}

/** Whether the set contains an id. */
export function hasId(bits: Bitset, id: number): boolean {
  return ((bits[id >>> 3] ?? 0) >> (id & 7) & 1) === 1;
}

/** Adds an id, at most the `maxId` that the set was created for. */
export function addId(bits: Bitset, id: number): void {
  bits[id >>> 3] = (bits[id >>> 3] as number) | (1 << (id & 7));
}
