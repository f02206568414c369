/** A number and a unit in one word. */
const QUANTITY = /^(\p{Nd}+)(\p{L}+)$/u;

/**
 * Returns the words of a quantity that is written without a space before its unit: `8GB` is one word to the index, and
 * `8 GB` two.
 *
 * @param words The normalized words of a word of a query.
 *
 * @example
 * ```ts
 * import { quantityForms } from "./quantity_forms.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(quantityForms(["8gb"]), [["8", "gb"]]);
 * assertEquals(quantityForms(["0", "8bar"]), [["0", "8", "bar"]]);
 * ```
 */
export function quantityForms(words: readonly string[]): string[][] {
  const [, number, unit] = QUANTITY.exec(words.at(-1) ?? "") ?? [];
  return number === undefined || unit === undefined ? [] : [[...words.slice(0, -1), number, unit]];
}
