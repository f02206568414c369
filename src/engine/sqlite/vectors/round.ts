/** What is lost when a vector is rounded to whole numbers times one scale. */
export interface Rounded {
  /** What the whole numbers are to be multiplied with; exact in float32. */
  readonly scale: number;
  /** Length of the difference between the vector and its rounded form. */
  readonly error: number;
  /** Length of the rounded form. */
  readonly norm: number;
  /** Length of the vector. */
  readonly length: number;
}

/** Smallest normal float32: below it a scale has too few digits left, and every number becomes 0. */
const LEAST_SCALE = 2 ** -126;

/**
 * Rounds a vector to whole numbers from `-most` to `most`, as fine as they allow.
 *
 * @param out Where the numbers are written, from index `at` on.
 */
export function roundVector(
  vector: Float32Array,
  most: number,
  out: Int8Array | Int16Array,
  at: number,
): Rounded {
  const dimensions = vector.length;
  let largest = 0;
  for (let i = 0; i < dimensions; i++) largest = Math.max(largest, Math.abs(vector[i]!));
  const scale = largest / most < LEAST_SCALE ? 0 : Math.fround(largest / most);
  const inverse = scale === 0 ? 0 : 1 / scale;
  let error = 0;
  let norm = 0;
  let length = 0;
  for (let i = 0; i < dimensions; i++) {
    const exact = vector[i]!;
    const number = Math.floor(exact * inverse + 0.5);
    out[at + i] = number;
    const rounded = number * scale;
    error += (exact - rounded) * (exact - rounded);
    norm += rounded * rounded;
    length += exact * exact;
  }
  return { scale, error: Math.sqrt(error), norm: Math.sqrt(norm), length: Math.sqrt(length) };
}
