/**
 * Returns a function that builds a value on its first call and returns the same value afterwards.
 *
 * For patterns with Unicode character classes, which take milliseconds to build: each thread builds only
 * those that it uses, and none while it starts.
 *
 * @example
 * ```ts
 * import { lazy } from "./lazy.ts";
 * import { assertEquals } from "@std/assert";
 * const letters = lazy(() => /\p{L}+/gu);
 * assertEquals("straße 7".match(letters()), ["straße"]);
 * ```
 */
export function lazy<T>(build: () => T): () => T {
  let built: { readonly value: T } | undefined;
  return () => (built ??= { value: build() }).value;
}
