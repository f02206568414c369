import type { Random } from "./random.ts";

/** Ways to damage a file. */
export type Damage = "truncated" | "flipped";

/**
 * Returns a damaged copy of a file: cut at a random place, or with one to eight bits flipped. A third of the bits are
 * in the first KiB, where headers are.
 */
export function corrupt(
  bytes: Uint8Array<ArrayBuffer>,
  damage: Damage,
  random: Random,
): Uint8Array<ArrayBuffer> {
  if (damage === "truncated") return bytes.slice(0, random.int(bytes.length));
  const copy = bytes.slice();
  for (let flips = 1 + random.int(8); flips > 0; flips--) {
    const at = random.int(random.int(3) === 0 ? Math.min(1024, copy.length) : copy.length);
    copy[at] = copy[at]! ^ (1 << random.int(8));
  }
  return copy;
}
