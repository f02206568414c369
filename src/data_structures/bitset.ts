/** A set of ids: an id is in it when bit `id & 7` of byte `id >> 3` is set. Ids beyond its end are not. */
export type Bitset = Uint8Array;

/** An empty set with room for ids up to `lastId`. */
export function bitset(lastId: number): Bitset {
  return new Uint8Array(Math.floor(lastId / 8) + 1);
}

/** Whether an id is in the set. */
export function hasId(bits: Bitset, id: number): boolean {
  return ((bits[id >>> 3] ?? 0) >> (id & 7) & 1) === 1;
}

/** Puts an id into the set, which has room for it. */
export function addId(bits: Bitset, id: number): void {
  bits[id >>> 3] = (bits[id >>> 3] as number) | (1 << (id & 7));
}
