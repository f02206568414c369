/**
 * Multi-head self-attention of one text (Vaswani et al., arXiv:1706.03762): softmax(Q Kᵀ / √d) V.
 *
 * Both products are int16 × int16, summed in int32: attention needs more than 8 bits, and int16 takes half the time of
 * float32.
 */
import { constant, maxLane, roundToInt, step, sumLanes } from "./math";
import { product } from "./product";
import { packFour, quantize } from "./quantize";

/** Number of queries whose scores are in memory at a time. */
const BLOCK: i32 = 64;
/**
 * Sum of the quantized probabilities of a query, and largest quantized value: a sum of their products stays below 2³¹ for
 * texts of up to 65,000 tokens, rounding included.
 */
const LEVELS: f32 = 32767;

/** Turns groups of 4 tokens into blocks of 8 rows. `count` is a multiple of 8. */
function tokensToRows(tokens: usize, out: usize, count: i32, columns: i32): void {
  const size = columns * 8;
  for (const end = tokens + size * count / 4; tokens < end; tokens += size) {
    for (const groupEnd = tokens + size; tokens < groupEnd; tokens += 16) {
      v128.store(out, v128.load(tokens));
      v128.store(out, v128.load(tokens + size), 16);
      out += 32;
    }
  }
}

/**
 * Quantizes the columns of a float32 matrix, each with its own scale, and arranges them as the rows of a product.
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
 * Replaces a row of scores by exp((score − maximum) × factor), and returns 32767 / sum.
 *
 * eˣ = 2ⁿ × eʳ with n = round(x / ln 2) and Cephes' polynomial (`expf`) for eʳ: a relative error below 2⁻²².
 */
function exponentials(row: usize, columns: i32, padded: i32, factor: f32): f32 {
  for (let i = columns; i < padded; i++) store<f32>(row + i * 4, -1e30);
  const end = row + padded * 4;
  let largest = f32x4.splat(-1e30);
  for (let p = row; p < end; p += 16) largest = f32x4.pmax(largest, v128.load(p));

  const zeros = i32x4.splat(columns >> 31);
  const maximum = f32x4.splat(maxLane(largest));
  const factors = f32x4.splat(factor);
  const minimum = constant(-87, zeros);
  const log2e = constant(1.44269504088896341, zeros);
  // ln 2 in two parts, so that the product with the first one is exact.
  const ln2High = constant(-0.693359375, zeros);
  const ln2Low = constant(2.12194440e-4, zeros);
  const c7 = constant(1.9875691500e-4, zeros);
  const c6 = constant(1.3981999507e-3, zeros);
  const c5 = constant(8.3334519073e-3, zeros);
  const c4 = constant(4.1665795894e-2, zeros);
  const c3 = constant(1.6666665459e-1, zeros);
  const c2 = constant(5.0000001201e-1, zeros);
  const one = constant(1, zeros);
  let sum = f32x4.splat(0);
  for (let p = row; p < end; p += 16) {
    const x = f32x4.pmax(minimum, f32x4.mul(f32x4.sub(v128.load(p), maximum), factors));
    const n = roundToInt(f32x4.mul(x, log2e));
    const rounded = f32x4.convert_i32x4_s(n);
    const r = step(rounded, ln2Low, step(rounded, ln2High, x));
    const tail = step(step(step(step(step(c7, r, c6), r, c5), r, c4), r, c3), r, c2);
    const power = f32x4.add(step(tail, f32x4.mul(r, r), r), one);
    // Adds n to the exponent.
    const value = i32x4.add(power, i32x4.shl(n, 23));
    sum = f32x4.add(sum, value);
    v128.store(p, value);
  }
  return LEVELS / sumLanes(sum);
}

/**
 * Turns each row of scores into probabilities × 32767, as tokens of a product.
 *
 * @param scores float32. Up to 3 rows after the last are read and written, with any content.
 * @param columns Number of scores in a row.
 * @param padded Distance of the rows, in values, and columns to write: a multiple of 8. The additional ones are 0.
 * @param factor Multiplies each score, above 0.
 */
function softmax(scores: usize, out: usize, count: i32, columns: i32, padded: i32, factor: f32): void {
  const stride = padded * 4;
  for (let i = 0; i < count; i += 4) {
    const f0 = f32x4.splat(exponentials(scores, columns, padded, factor));
    const f1 = f32x4.splat(exponentials(scores + stride, columns, padded, factor));
    const f2 = f32x4.splat(exponentials(scores + stride * 2, columns, padded, factor));
    const f3 = f32x4.splat(exponentials(scores + stride * 3, columns, padded, factor));
    packFour(scores, stride, out, padded, f0, f1, f2, f3);
    scores += stride * 4;
    out += padded * 8;
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
    tokensToRows(rows, keys, padded, size);
    packColumns(projections + 2 * width, stride, values, valueScales, tokens, padded, size);
    for (let start = 0; start < tokens; start += BLOCK) {
      const count = min(BLOCK, tokens - start);
      const q = queries + start * size * 2;
      const qScales = queryScales + start * 4;
      product(q, qScales, keys, keyScales, 0, scores, padded * 4, count, padded, size, false);
      softmax(scores, probabilities, count, tokens, padded, 1 / sqrt(f32(size)));
      const o = out + start * width;
      product(
        probabilities,
        probabilityScales,
        values,
        valueScales,
        0,
        o,
        width,
        count,
        size,
        padded,
        false,
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
