/**
 * Returns the k-th largest of some numbers, in linear time (Hoare, "Algorithm 65: find", 1961). Reorders them: the k
 * largest come first, in no order.
 *
 * @param values Without `NaN`.
 * @param k 1 to the number of values.
 *
 * @example
 * ```ts
 * import { kthLargest } from "./kth_largest.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(kthLargest(Float32Array.of(0.25, 0.75, 0.5), 2), 0.5);
 * ```
 */
export function kthLargest(values: Float32Array, k: number): number {
  let [from, to] = [0, values.length - 1];
  while (from < to) {
    const pivot = median(values[from]!, values[from + to >> 1]!, values[to]!);
    let [left, right] = [from, to];
    while (left <= right) {
      while (values[left]! > pivot) left++;
      while (values[right]! < pivot) right--;
      if (left > right) break;
      const value = values[left]!;
      values[left++] = values[right]!;
      values[right--] = value;
    }
    // Between both are values equal to the pivot.
    if (k - 1 <= right) to = right;
    else if (k - 1 >= left) from = left;
    else return pivot;
  }
  return values[k - 1]!;
}

function median(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}
