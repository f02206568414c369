/** A set of chunk ids: an id is in it when bit `id & 7` of byte `id >> 3` is set. Ids beyond its end are not. */
export type Allowed = Uint8Array;

/** Whether an id is in the set. */
export function isAllowed(allowed: Allowed, id: number): boolean {
  return ((allowed[id >>> 3] ?? 0) >> (id & 7) & 1) === 1;
}
