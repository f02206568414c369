/**
 * Returns the index of a number among ascending ones, in logarithmic time.
 *
 * @param ascending Without duplicates.
 * @returns Undefined if it is not among them.
 *
 * @example
 * ```ts
 * import { sortedIndexOf } from "./sorted_index.ts";
 * import { assertEquals } from "@std/assert";
 * const ids = Uint32Array.of(3, 5, 8);
 * assertEquals([sortedIndexOf(ids, 5), sortedIndexOf(ids, 6)], [1, undefined]);
 * ```
 */
export function sortedIndexOf(ascending: Uint32Array, number: number): number | undefined {
  let [from, to] = [0, ascending.length];
  while (from < to) {
    const middle = from + to >>> 1;
    if (ascending[middle]! < number) from = middle + 1;
    else to = middle;
  }
  return ascending[from] === number ? from : undefined;
}
