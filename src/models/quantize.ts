import { type QuantizedMatrix, SCALE_COLUMNS } from "../encoder/mod.ts";

/**
 * Quantizes a row-major matrix to 8 bits with one scale per 64 columns of a row.
 *
 * Exactly `scale = fround(max |w| / 127)` and `q = floor(w / scale + 0.5)`, limited to ±127, with divisions in float64,
 * so that every machine computes the same bytes. The scale of zeros is 0; that of values which are not all finite is
 * not finite.
 */
export function quantizeRows(values: Float32Array, columns: number): QuantizedMatrix {
  const rows = values.length / columns;
  const quantized = new Int8Array(values.length);
  const groups = Math.ceil(columns / SCALE_COLUMNS);
  const scales = new Float32Array(rows * groups);
  for (let group = 0; group < scales.length; group++) {
    const start = Math.floor(group / groups) * columns + (group % groups) * SCALE_COLUMNS;
    const end = Math.min(start + SCALE_COLUMNS, (Math.floor(group / groups) + 1) * columns);
    let max = 0;
    for (let index = start; index < end; index++) max = Math.max(max, Math.abs(values[index]!));
    const scale = Math.fround(max / 127);
    if (scale === 0) continue;
    scales[group] = scale;
    for (let index = start; index < end; index++) {
      quantized[index] = Math.max(-127, Math.min(127, Math.floor(values[index]! / scale + 0.5)));
    }
  }
  return { rows, columns, values: quantized, scales };
}
