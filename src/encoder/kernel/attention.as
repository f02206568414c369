/**
 * Multi-head self-attention of one text (Vaswani et al., arXiv:1706.03762): softmax(Q Kᵀ / √d) V.
 *
 * Both products are int16 × int16, summed in int32: attention needs more than 8 bits, and int16 takes half the time of
 * float32.
 */
import { exp, maxLane, roundToInt, sumLanes } from "./math";
import { quantize } from "./rows";

/** Number of queries whose scores are in memory at a time. */
const BLOCK: i32 = 64;
/**
 * Sum of the quantized probabilities of a query, and largest quantized value: a sum of their products stays below 2³¹ for
 * texts of up to 65,000 tokens, rounding included.
 */
const LEVELS: f32 = 32767;

// @ts-ignore: decorator
@inline
function dot(sum: v128, weights: v128, activations: v128): v128 {
  return i32x4.add(sum, i32x4.dot_i16x8_s(weights, activations));
}

// @ts-ignore: decorator
@inline
function scaled(sums: v128, scale: f32, scales: v128): v128 {
  return f32x4.mul(f32x4.mul(f32x4.convert_i32x4_s(sums), f32x4.splat(scale)), scales);
}

/**
 * Computes `out = left × rightᵀ` for int16 matrices with one scale per row.
 *
 * @param left `count × columns`; followed by values up to a multiple of 4 rows, with any content.
 * @param right Blocks of 8 rows, each `columns / 2 × 8 rows × 2 columns`.
 * @param out float32; as long as `left`, in rows.
 * @param rows Rows of `right`, a multiple of 8.
 * @param columns Multiple of 4.
 */
function product(
  left: usize,
  leftScales: usize,
  right: usize,
  rightScales: usize,
  out: usize,
  outStride: usize,
  count: i32,
  rows: i32,
  columns: i32,
): void {
  const stride = columns * 2;
  for (let row = 0; row < rows; row += 8) {
    const lowScales = v128.load(rightScales);
    const highScales = v128.load(rightScales, 16);
    for (let i = 0; i < count; i += 4) {
      let a0 = left + i * stride;
      let a1 = a0 + stride;
      let a2 = a1 + stride;
      let a3 = a2 + stride;
      let w = right;
      let s0 = i32x4.splat(0);
      let s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
      const end = a0 + stride;
      while (a0 < end) {
        let low = v128.load(w);
        let high = v128.load(w, 16);
        let x = v128.load32_splat(a0);
        s0 = dot(s0, low, x);
        s1 = dot(s1, high, x);
        x = v128.load32_splat(a1);
        s2 = dot(s2, low, x);
        s3 = dot(s3, high, x);
        x = v128.load32_splat(a2);
        s4 = dot(s4, low, x);
        s5 = dot(s5, high, x);
        x = v128.load32_splat(a3);
        s6 = dot(s6, low, x);
        s7 = dot(s7, high, x);
        low = v128.load(w, 32);
        high = v128.load(w, 48);
        x = v128.load32_splat(a0, 4);
        s0 = dot(s0, low, x);
        s1 = dot(s1, high, x);
        x = v128.load32_splat(a1, 4);
        s2 = dot(s2, low, x);
        s3 = dot(s3, high, x);
        x = v128.load32_splat(a2, 4);
        s4 = dot(s4, low, x);
        s5 = dot(s5, high, x);
        x = v128.load32_splat(a3, 4);
        s6 = dot(s6, low, x);
        s7 = dot(s7, high, x);
        w += 64;
        a0 += 8;
        a1 += 8;
        a2 += 8;
        a3 += 8;
      }
      let o = out + i * outStride;
      const scales = leftScales + i * 4;
      v128.store(o, scaled(s0, load<f32>(scales), lowScales));
      v128.store(o, scaled(s1, load<f32>(scales), highScales), 16);
      o += outStride;
      v128.store(o, scaled(s2, load<f32>(scales, 4), lowScales));
      v128.store(o, scaled(s3, load<f32>(scales, 4), highScales), 16);
      o += outStride;
      v128.store(o, scaled(s4, load<f32>(scales, 8), lowScales));
      v128.store(o, scaled(s5, load<f32>(scales, 8), highScales), 16);
      o += outStride;
      v128.store(o, scaled(s6, load<f32>(scales, 12), lowScales));
      v128.store(o, scaled(s7, load<f32>(scales, 12), highScales), 16);
    }
    right += 8 * stride;
    rightScales += 32;
    out += 32;
  }
}

/** Rearranges int16 rows into the right operand of a product. `count` is a multiple of 8. */
function packRows(rows: usize, out: usize, count: i32, columns: i32): void {
  const stride = columns * 2;
  for (const end = rows + count * stride; rows < end; rows += 8 * stride) {
    for (let i = 0; i < stride; i += 4) {
      for (let row = 0; row < 8; row++) store<u32>(out + row * 4, load<u32>(rows + row * stride + i));
      out += 32;
    }
  }
}

/**
 * Quantizes the columns of a float32 matrix, each with its own scale, and rearranges them as the right operand of a product:
 * the rows of the operand are the columns of the matrix.
 *
 * @param count Rows that count for the scales.
 * @param padded Rows to write, a multiple of 2. Those after `count` may have any content.
 * @param columns Multiple of 8.
 */
function packColumns(
  rows: usize,
  stride: usize,
  out: usize,
  scales: usize,
  count: i32,
  padded: i32,
  columns: i32,
): void {
  for (let column = 0; column < columns; column += 4) {
    let largest = f32x4.splat(0);
    for (let row = 0; row < count; row++) {
      largest = f32x4.pmax(largest, f32x4.abs(v128.load(rows + row * stride)));
    }
    v128.store(scales, f32x4.mul(largest, f32x4.splat(1 / LEVELS)));
    const factor = f32x4.div(f32x4.splat(LEVELS), f32x4.pmax(largest, f32x4.splat(1e-30)));
    // The second four columns of a block of eight are in the second half of each 32 bytes.
    let target = out + (column / 8) * padded * 16 + (column % 8) * 4;
    for (let row = 0; row < padded; row += 2) {
      const even = roundToInt(f32x4.mul(v128.load(rows + row * stride), factor));
      const odd = roundToInt(f32x4.mul(v128.load(rows + (row + 1) * stride), factor));
      const low = v128.and(even, i32x4.splat(0xffff));
      v128.store(target, v128.or(low, i32x4.shl(odd, 16)));
      target += 32;
    }
    rows += 16;
    scales += 16;
  }
}

/**
 * Turns each row of scores into probabilities × 32767, as int16.
 *
 * @param columns Number of scores in a row.
 * @param padded Distance of the rows, in values, and columns to write: a multiple of 8. The additional ones are 0.
 * @param factor Multiplies each score, above 0.
 */
function softmax(scores: usize, out: usize, count: i32, columns: i32, padded: i32, factor: f32): void {
  const size = padded * 4;
  const factors = f32x4.splat(factor);
  for (const end = scores + count * size; scores < end; scores += size) {
    for (let i = columns; i < padded; i++) store<f32>(scores + i * 4, -1e30);
    let largest = v128.load(scores);
    for (let i = 16; i < size; i += 16) largest = f32x4.pmax(largest, v128.load(scores + i));
    const maximum = f32x4.splat(maxLane(largest));
    let sum = f32x4.splat(0);
    for (let i = 0; i < size; i += 16) {
      const value = exp(f32x4.mul(f32x4.sub(v128.load(scores + i), maximum), factors));
      sum = f32x4.add(sum, value);
      v128.store(scores + i, value);
    }
    const levels = f32x4.splat(LEVELS / sumLanes(sum));
    for (let i = 0; i < size; i += 32) {
      const low = roundToInt(f32x4.mul(v128.load(scores + i), levels));
      const high = roundToInt(f32x4.mul(v128.load(scores + i, 16), levels));
      v128.store(out, i16x8.narrow_i32x4_s(low, high));
      out += 16;
    }
  }
}

/**
 * Computes the attention of all heads of a text.
 *
 * @param projections float32, `tokens × (query, key, value)` with `heads × size` columns each; followed by up to 7 more rows
 *   with any content.
 * @param out float32, `tokens × heads × size`; up to 3 more rows are overwritten.
 * @param size Dimensions of a head, a multiple of 8.
 * @param scratch As many bytes as `attentionScratch` returns.
 */
export function attention(
  projections: usize,
  out: usize,
  tokens: i32,
  heads: i32,
  size: i32,
  scratch: usize,
): void {
  const padded = (tokens + 7) & -8;
  const width = heads * size * 4;
  const stride = 3 * width;
  const levels = min(LEVELS, floor(sqrt(f32(2147483000) / f32(size))));
  const queries = scratch;
  const rows = queries + padded * size * 2;
  const keys = rows + padded * size * 2;
  const values = keys + padded * size * 2;
  const queryScales = values + padded * size * 2;
  const keyScales = queryScales + padded * 4;
  const valueScales = keyScales + padded * 4;
  const probabilityScales = valueScales + size * 4;
  const scores = probabilityScales + BLOCK * 4;
  const probabilities = scores + BLOCK * padded * 4;
  for (let i = 0; i < BLOCK; i++) store<f32>(probabilityScales + i * 4, 1 / LEVELS);
  for (let head = 0; head < heads; head++) {
    quantize(projections, stride, queries, queryScales, padded, size, levels);
    quantize(projections + width, stride, rows, keyScales, padded, size, levels);
    packRows(rows, keys, padded, size);
    packColumns(projections + 2 * width, stride, values, valueScales, tokens, padded, size);
    for (let start = 0; start < tokens; start += BLOCK) {
      const count = min(BLOCK, tokens - start);
      product(
        queries + start * size * 2,
        queryScales + start * 4,
        keys,
        keyScales,
        scores,
        padded * 4,
        count,
        padded,
        size,
      );
      softmax(scores, probabilities, count, tokens, padded, 1 / sqrt(f32(size)));
      product(
        probabilities,
        probabilityScales,
        values,
        valueScales,
        out + start * width,
        width,
        count,
        size,
        padded,
      );
    }
    projections += size * 4;
    out += size * 4;
  }
}

/** Returns the bytes of scratch for the attention of a text of `tokens` tokens: a multiple of 16. */
export function attentionScratch(tokens: i32, size: i32): i32 {
  const padded = (tokens + 7) & -8;
  return 8 * padded * size + 8 * padded + 4 * size + BLOCK * 4 + BLOCK * padded * 6;
}
