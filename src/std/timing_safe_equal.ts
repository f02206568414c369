/**
 * Compares two byte sequences in time that depends only on their length; sequences of different lengths are
 * unequal at once. Stand-in for `@std/crypto/timing-safe-equal`, which is only published on JSR.
 *
 * @example
 * ```ts
 * import { timingSafeEqual } from "@std/crypto/timing-safe-equal";
 * import { assertEquals } from "@std/assert";
 * assertEquals(timingSafeEqual(new Uint8Array([1, 2]), new Uint8Array([1, 2])), true);
 * ```
 */
export function timingSafeEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.byteLength !== b.byteLength) return false;
  let difference = 0;
  for (let i = 0; i < a.byteLength; i++) difference |= (a[i] ?? 0) ^ (b[i] ?? 0);
  return difference === 0;
}
