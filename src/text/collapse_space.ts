/** Runs of white space other than single spaces. */
const UNCOLLAPSED = /[^\S ]\s*| \s+/g;

/**
 * Replaces each run of white space with a single space, and removes white space at both ends.
 *
 * @example
 * ```ts
 * import { collapseSpace } from "./collapse_space.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(collapseSpace(" two\n\n words "), "two words");
 * ```
 */
export function collapseSpace(text: string): string {
  // Most spaces are single ones, and replacing each takes much longer than finding the others.
  return text.replace(UNCOLLAPSED, " ").trim();
}
