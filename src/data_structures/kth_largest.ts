/** Number of values from which they are counted first. */
const MIN_COUNTED = 128;
const RANGES = 512;

/** Numbers of values by range; the last one is that of the largest value. */
const counts = new Uint32Array(RANGES + 1);

/**
 * Returns the k-th largest of some numbers, in linear time. Overwrites them.
 *
 * Many values are first counted in ranges of equal size, without a branch that depends on a value: selecting among all of
 * them takes several times longer, because a processor predicts half of the comparisons wrongly.
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
  return values.length < MIN_COUNTED ? select(values, values.length, k) : countAndSelect(values, k);
}

function countAndSelect(values: Float32Array, k: number): number {
  const { length } = values;
  let [smallest, largest] = [Infinity, -Infinity];
  for (let i = 0; i < length; i++) {
    const value = values[i]!;
    if (value < smallest) smallest = value;
    if (value > largest) largest = value;
  }
  const scale = RANGES / (largest - smallest);
  // Infinite or equal values have no ranges.
  if (!(scale > 0 && scale < Infinity)) return select(values, length, k);
  counts.fill(0);
  for (let i = 0; i < length; i++) counts[(values[i]! - smallest) * scale | 0]!++;
  let range = RANGES;
  let rank = k;
  while (rank > counts[range]!) rank -= counts[range--]!;
  let size = 0;
  for (let i = 0; i < length; i++) {
    const value = values[i]!;
    if (((value - smallest) * scale | 0) === range) values[size++] = value;
  }
  return select(values, size, rank);
}

/** Returns the k-th largest of the first numbers (Hoare, "Algorithm 65: find", 1961). */
function select(values: Float32Array, size: number, k: number): number {
  let [from, to] = [0, size - 1];
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
