/** Random choices that a seed repeats: a failing test names its seed, and fails again. */
export interface Random {
  /** An integer from 0 to `below` - 1. */
  int(below: number): number;
  /** One of the items. */
  pick<T>(items: readonly T[]): T;
}

/** A generator (mulberry32) for property tests. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (below: number) => Math.floor(next() * below);
  return { int, pick: (items) => items[int(items.length)]! };
}
