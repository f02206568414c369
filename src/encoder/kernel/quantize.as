/** Conversion of float32 and int8 matrices to the int16 operands of `product`. */
import { maxLane, roundToInt, sumLanes } from "./math";

/** Columns of a matrix of a model file that share a scale per row. */
const GROUP = 64;

/** Multiplies 8 values of a row and rounds them to int16. */
// @ts-ignore: decorator
@inline
function round8(row: usize, factor: v128): v128 {
  return i16x8.narrow_i32x4_s(
    roundToInt(f32x4.mul(v128.load(row), factor)),
    roundToInt(f32x4.mul(v128.load(row, 16), factor)),
  );
}

/** Writes 4 rows, each multiplied by its factor, as a group of 4 tokens. `columns` is a multiple of 8. */
// @ts-ignore: decorator
@inline
export function packFour(
  row: usize,
  stride: i32,
  out: usize,
  columns: i32,
  factor0: v128,
  factor1: v128,
  factor2: v128,
  factor3: v128,
): void {
  for (const end = row + columns * 4; row < end; row += 32) {
    const r0 = round8(row, factor0);
    const r1 = round8(row + stride, factor1);
    const r2 = round8(row + stride * 2, factor2);
    const r3 = round8(row + stride * 3, factor3);
    const low01 = v128.shuffle<i32>(r0, r1, 0, 4, 1, 5);
    const low23 = v128.shuffle<i32>(r2, r3, 0, 4, 1, 5);
    const high01 = v128.shuffle<i32>(r0, r1, 2, 6, 3, 7);
    const high23 = v128.shuffle<i32>(r2, r3, 2, 6, 3, 7);
    v128.store(out, v128.shuffle<i64>(low01, low23, 0, 2));
    v128.store(out, v128.shuffle<i64>(low01, low23, 1, 3), 16);
    v128.store(out, v128.shuffle<i64>(high01, high23, 0, 2), 32);
    v128.store(out, v128.shuffle<i64>(high01, high23, 1, 3), 48);
    out += 64;
  }
}

/** Stores the scale of a row, `max |x| / levels`, and returns the inverse. */
// @ts-ignore: decorator
@inline
function scaleOf(row: usize, columns: i32, levels: f32, scale: usize): v128 {
  let largest = f32x4.splat(0);
  for (const end = row + columns * 4; row < end; row += 16) {
    largest = f32x4.pmax(largest, f32x4.abs(v128.load(row)));
  }
  const maximum = maxLane(largest);
  store<f32>(scale, maximum / levels);
  return f32x4.splat(maximum > 0 ? levels / maximum : 0);
}

/**
 * Quantizes rows as tokens of a product: `row ≈ scale × q` with |q| ≤ `levels`.
 *
 * @param rows float32. Up to 3 rows after the last are read, with any content.
 * @param stride Distance of the rows, in bytes.
 * @param scales Receives a float32 per row.
 * @param columns Multiple of 8.
 */
export function quantize(
  rows: usize,
  stride: i32,
  out: usize,
  scales: usize,
  count: i32,
  columns: i32,
  levels: f32,
): void {
  for (let i = 0; i < count; i += 4) {
    const f0 = scaleOf(rows, columns, levels, scales);
    const f1 = scaleOf(rows + stride, columns, levels, scales + 4);
    const f2 = scaleOf(rows + stride * 2, columns, levels, scales + 8);
    const f3 = scaleOf(rows + stride * 3, columns, levels, scales + 12);
    packFour(rows, stride, out, columns, f0, f1, f2, f3);
    rows += stride * 4;
    scales += 16;
    out += columns * 8;
  }
}

/**
 * Converts 8 rows of int8 weights to a block of rows of a product, with one scale per row.
 *
 * The scale is the smallest with which no sum of products with tokens of `levels` exceeds 31 bits: some 10 to 12 bits per
 * weight, which keeps the precision of the file.
 *
 * @param values int8, 8 × `columns`.
 * @param scales float32, 8 × `columns / 64`.
 * @param outScales Receives a float32 per row.
 * @param columns Multiple of 64.
 */
export function packWeights(
  values: usize,
  scales: usize,
  out: usize,
  outScales: usize,
  columns: i32,
  levels: f32,
): void {
  // Rounding adds up to 0.5 to each weight; 1 % is for the rounding of float32.
  const maxSum = f32(2147483648.0 * 0.99) / levels - f32(columns) * 0.5;
  for (let row = 0; row < 8; row++) {
    let sum: f32 = 0;
    let maximum: f32 = 0;
    for (let group = 0; group < columns; group += GROUP) {
      let sums = i32x4.splat(0);
      for (let i = group; i < group + GROUP; i += 8) {
        sums = i32x4.add(sums, i32x4.extadd_pairwise_i16x8_s(i16x8.abs(v128.load8x8_s(values + i))));
      }
      const scale = abs(load<f32>(scales + group / GROUP * 4));
      sum += scale * sumLanes(f32x4.convert_i32x4_s(sums));
      maximum = max(maximum, scale * 128);
    }
    const rowScale = max(sum / maxSum, maximum / 32767);
    store<f32>(outScales, rowScale);
    outScales += 4;
    let target = out + row * 4;
    for (let group = 0; group < columns; group += GROUP) {
      const factor = f32x4.splat(rowScale > 0 ? load<f32>(scales) / rowScale : 0);
      scales += 4;
      for (let i = group; i < group + GROUP; i += 8) {
        const q = v128.load8x8_s(values + i);
        const low = roundToInt(f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(q)), factor));
        const high = roundToInt(f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(q)), factor));
        const packed = i16x8.narrow_i32x4_s(low, high);
        v128.store_lane<u32>(target, packed, 0);
        v128.store_lane<u32>(target, packed, 1, 32);
        v128.store_lane<u32>(target, packed, 2, 64);
        v128.store_lane<u32>(target, packed, 3, 96);
        target += 128;
      }
    }
    values += columns;
  }
}
