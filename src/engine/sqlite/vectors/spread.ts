import { dotProduct } from "../store/read_only.ts";

/** Number of vectors in a sample: their pairs are compared in about 2 ms. */
export const SPREAD_SAMPLE = 96;
/** The spread of fewer vectors says little about the model. */
const MIN_VECTORS = 16;

/**
 * Returns the standard deviation of the dot products of all pairs of vectors. Undefined: there are too few.
 *
 * Models differ in it: unrelated texts have a cosine of 0 to 0.3 with one model, and 0.7 to 0.8 with another.
 *
 * @example
 * ```ts
 * import { spreadOf } from "./spread.ts";
 * import { assertEquals } from "@std/assert";
 * const same = Array.from({ length: 16 }, () => Float32Array.of(1, 0));
 * assertEquals([spreadOf(same), spreadOf([])], [0, undefined]);
 * ```
 */
export function spreadOf(vectors: readonly Float32Array[]): number | undefined {
  if (vectors.length < MIN_VECTORS) return undefined;
  let sum = 0;
  let sumOfSquares = 0;
  let count = 0;
  for (const [index, a] of vectors.entries()) {
    for (const b of vectors.slice(0, index)) {
      const product = dotProduct(a, b);
      sum += product;
      sumOfSquares += product ** 2;
      count++;
    }
  }
  return Math.sqrt(Math.max(0, sumOfSquares / count - (sum / count) ** 2));
}
