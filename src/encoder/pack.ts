import { BLOCK_ROWS } from "./kernel/kernel.ts";
import { type QuantizedMatrix, SCALE_COLUMNS } from "./model_file.ts";

/**
 * Rearranges the values of a matrix as the kernel reads them: blocks of 8 rows, each `columns / 2 × 8 rows × 2 columns`.
 *
 * @param target Receives as many values as the matrix has.
 */
export function packValues({ rows, columns, values }: QuantizedMatrix, target: Int8Array): void {
  // Two columns at a time.
  const pairs = columns / 2;
  const from = new Int16Array(values.buffer, values.byteOffset, values.length / 2);
  const to = new Int16Array(target.buffer, target.byteOffset, target.length / 2);
  let next = 0;
  for (let block = 0; block < rows; block += BLOCK_ROWS) {
    const start = block * pairs;
    for (let pair = 0; pair < pairs; pair++) {
      for (let row = 0; row < BLOCK_ROWS; row++) to[next++] = from[start + row * pairs + pair]!;
    }
  }
}

/**
 * Rearranges the scales of a matrix as the kernel reads them: blocks of 8 rows, each `columns / 64 × 8 rows`.
 *
 * @param target Receives `rows × columns / 64` scales.
 */
export function packScales({ rows, columns, scales }: QuantizedMatrix, target: Float32Array): void {
  const groups = columns / SCALE_COLUMNS;
  let next = 0;
  for (let block = 0; block < rows; block += BLOCK_ROWS) {
    for (let group = 0; group < groups; group++) {
      for (let row = block; row < block + BLOCK_ROWS; row++) target[next++] = scales[row * groups + group]!;
    }
  }
}
