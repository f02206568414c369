import type { QuantizedMatrix } from "../encoder/mod.ts";

/**
 * Quantizes a row-major matrix to 8 bits with one scale per row.
 *
 * Exactly `scale = fround(max |w| / 127)` and `q = floor(w / scale + 0.5)`, limited to ±127, with divisions in float64,
 * so that every machine computes the same bytes. A row of zeros has the scale 0; one with a value that is not finite,
 * a scale that is not finite.
 */
export function quantizeRows(values: Float32Array, columns: number): QuantizedMatrix {
  const rows = values.length / columns;
  const quantized = new Int8Array(values.length);
  const scales = new Float32Array(rows);
  for (let row = 0; row < rows; row++) {
    const start = row * columns;
    const end = start + columns;
    let max = 0;
    for (let index = start; index < end; index++) max = Math.max(max, Math.abs(values[index]!));
    const scale = Math.fround(max / 127);
    if (scale === 0) continue;
    scales[row] = scale;
    for (let index = start; index < end; index++) {
      quantized[index] = Math.max(-127, Math.min(127, Math.floor(values[index]! / scale + 0.5)));
    }
  }
  return { rows, columns, values: quantized, scales };
}
