/**
 * Optimal string alignment distance of two words: the number of insertions, deletions, substitutions and
 * transpositions of neighbors (Damerau 1964, without editing a substring twice).
 *
 * @param limit Maximum distance of interest, which bounds the work.
 * @returns The distance, or a number above `limit`.
 *
 * @example
 * ```ts
 * import { editDistance } from "./edit_distance.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(editDistance([..."retreival"], [..."retrieval"], 2), 1);
 * ```
 */
export function editDistance(a: readonly string[], b: readonly string[], limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let rowMinimum = i;
    for (let j = 1; j <= b.length; j++) {
      const substitution = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + substitution);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, beforeLast[j - 2]! + 1);
      }
      row.push(cost);
      rowMinimum = Math.min(rowMinimum, cost);
    }
    if (rowMinimum > limit) return limit + 1;
    [beforeLast, last] = [last, row];
  }
  return last[b.length]!;
}
