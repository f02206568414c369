/** Properties of a quantized vector, for error bounds. */
export interface Quantization {
  /** Factor from the integers to the quantized vector, exact in float32. */
  readonly scale: number;
  /** Length of the difference between the vector and the quantized vector. */
  readonly error: number;
  /** Length of the quantized vector. */
  readonly norm: number;
  /** Length of the vector. */
  readonly length: number;
}

/** Smallest normal float32. A subnormal scale has too little precision, so 0 is used instead. */
const MIN_SCALE = 2 ** -126;

/**
 * Quantizes a vector to integers from `-maxValue` to `maxValue`, with one scale for all dimensions.
 *
 * @param out Receives the integers, from index `offset`.
 */
export function quantize(
  vector: Float32Array,
  maxValue: number,
  out: Int8Array | Int16Array,
  offset: number,
): Quantization {
  const dimensions = vector.length;
  let largest = 0;
  for (let i = 0; i < dimensions; i++) largest = Math.max(largest, Math.abs(vector[i]!));
  const scale = largest / maxValue < MIN_SCALE ? 0 : Math.fround(largest / maxValue);
  const inverse = scale === 0 ? 0 : 1 / scale;
  let error = 0;
  let norm = 0;
  let length = 0;
  for (let i = 0; i < dimensions; i++) {
    const exact = vector[i]!;
    const integer = Math.floor(exact * inverse + 0.5);
    out[offset + i] = integer;
    const quantized = integer * scale;
    error += (exact - quantized) * (exact - quantized);
    norm += quantized * quantized;
    length += exact * exact;
  }
  return { scale, error: Math.sqrt(error), norm: Math.sqrt(norm), length: Math.sqrt(length) };
}
