/**
 * Freezes a value of JSON with everything in it, so that many readers can share it. Values that are frozen already
 * count as deeply frozen.
 *
 * @example
 * ```ts
 * import { deepFreeze } from "./deep_freeze.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(Object.isFrozen(deepFreeze({ tags: ["a"] }).tags), true);
 * ```
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const field of Object.values(value)) deepFreeze(field);
  return Object.freeze(value);
}
