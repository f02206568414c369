/** White space other than single spaces. */
const UNCOLLAPSED = /[^\S ]| {2}/;

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
  // Most texts are prose on one line, and replacing every space takes much longer than the test.
  return (UNCOLLAPSED.test(text) ? text.replace(/\s+/g, " ") : text).trim();
}
