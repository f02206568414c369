/** A version such as `v2.4.1`, `(2.4.1-rc1)`; without a "v", two numbers are rather a decimal. */
const VERSION = /^[^\p{L}\p{N}]*(?:v\d+\.\d|\d+\.\d+\.\d)/iu;

/**
 * Returns the words of a version without its "v", or with one: `v2.4.1` is the words v2, 4 and 1 to the index.
 *
 * @param text A word of a query, with punctuation.
 * @param words The normalized words of the text.
 *
 * @example
 * ```ts
 * import { versionForms } from "./version_forms.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(versionForms("v2.4.1", ["v2", "4", "1"]), [["2", "4", "1"]]);
 * assertEquals(versionForms("2.4.1", ["2", "4", "1"]), [["v2", "4", "1"]]);
 * assertEquals(versionForms("2.4", ["2", "4"]), []);
 * ```
 */
export function versionForms(text: string, words: readonly string[]): string[][] {
  const [first, ...others] = words;
  if (first === undefined || !VERSION.test(text)) return [];
  return [[first.startsWith("v") ? first.slice(1) : `v${first}`, ...others]];
}
