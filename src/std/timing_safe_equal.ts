import { timingSafeEqual as nodeTimingSafeEqual } from "node:crypto";

/**
 * Stand-in for `@std/crypto/timing-safe-equal`: compares two byte sequences in time that depends on their length
 * alone. Unequal lengths are unequal at once.
 *
 * @example
 * ```ts
 * import { timingSafeEqual } from "@std/crypto/timing-safe-equal";
 * import { assertEquals } from "@std/assert";
 * assertEquals(timingSafeEqual(new Uint8Array([1, 2]), new Uint8Array([1, 2])), true);
 * ```
 */
export function timingSafeEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.byteLength === b.byteLength && nodeTimingSafeEqual(a, b);
}
