/**
 * Products of int16 matrices, summed in int32 and scaled to float32: the linear layers and the two products of attention.
 *
 * The instruction of the inner loop, `i32x4.dot_i16x8_s` (`pmaddwd`, `smlal`), is in every runtime with SIMD and has the
 * same result on all of them. The 8-bit products of relaxed SIMD are 1.5 times as fast, but 7-bit activations cost up
 * to 0.02 in cosine to float32 (all-MiniLM-L6-v2, 126 texts), 9-bit activations 0.001.
 */

/** Adds the products of two columns of 4 rows with those of a token. */
// @ts-ignore: decorator
@inline
function dot(sum: v128, rows: v128, token: v128): v128 {
  return i32x4.add(sum, i32x4.dot_i16x8_s(rows, token));
}

/** Writes 8 results of a token: `sums × scale × scales + bias`, plus the value in `out` if `add`. */
// @ts-ignore: decorator
@inline
function finish(
  out: usize,
  low: v128,
  high: v128,
  scale: v128,
  scales: usize,
  bias: usize,
  add: bool,
): void {
  low = f32x4.mul(f32x4.mul(f32x4.convert_i32x4_s(low), scale), v128.load(scales));
  high = f32x4.mul(f32x4.mul(f32x4.convert_i32x4_s(high), scale), v128.load(scales, 16));
  if (bias) {
    low = f32x4.add(low, v128.load(bias));
    high = f32x4.add(high, v128.load(bias, 16));
  }
  if (add) {
    low = f32x4.add(low, v128.load(out));
    high = f32x4.add(high, v128.load(out, 16));
  }
  v128.store(out, low);
  v128.store(out, high, 16);
}

/** Computes 8 rows of the last two tokens of a product, in half the time of four; see there. */
function productOfTwo(
  x: usize,
  scales: usize,
  rows: usize,
  rowScales: usize,
  bias: usize,
  out: usize,
  outStride: i32,
  columns: i32,
  add: bool,
): void {
  let s0 = i32x4.splat(0);
  let s1 = s0, s2 = s0, s3 = s0;
  for (const end = x + columns * 8; x < end; x += 16) {
    const low = v128.load(rows);
    const high = v128.load(rows, 16);
    const four = v128.load(x);
    let one = v128.shuffle<i32>(four, four, 0, 0, 0, 0);
    s0 = dot(s0, low, one);
    s1 = dot(s1, high, one);
    one = v128.shuffle<i32>(four, four, 1, 1, 1, 1);
    s2 = dot(s2, low, one);
    s3 = dot(s3, high, one);
    rows += 32;
  }
  finish(out, s0, s1, v128.load32_splat(scales), rowScales, bias, add);
  finish(out + outStride, s2, s3, v128.load32_splat(scales, 4), rowScales, bias, add);
}

/**
 * Computes `out = tokens × rowsᵀ + bias`, plus `out` if `add` (a residual connection). The caller limits the integers so that
 * no sum exceeds 32 bits.
 *
 * A tile of 4 tokens × 8 rows stays in 8 of the 16 registers of x64. Its operands are arranged so that a step of 64
 * products has three loads, since runtimes that check the bounds of each load in software (Deno) lose more time there
 * than in the arithmetic. 8 rows are in the first-level cache while all tokens pass.
 *
 * @param tokens int16; groups of 4 tokens, each `columns / 2 × 4 tokens × 2 columns`.
 * @param tokenScales float32 per token.
 * @param rows int16; blocks of 8 rows, each `columns / 2 × 8 rows × 2 columns`.
 * @param rowScales float32 per row.
 * @param bias float32 per row, or 0 for none.
 * @param out float32. Up to 3 tokens after the last are written too.
 * @param outStride Distance of the tokens in `out`, in bytes.
 * @param rowCount Multiple of 8.
 * @param columns Multiple of 2.
 */
export function product(
  tokens: usize,
  tokenScales: usize,
  rows: usize,
  rowScales: usize,
  bias: usize,
  out: usize,
  outStride: i32,
  tokenCount: i32,
  rowCount: i32,
  columns: i32,
  add: bool,
): void {
  // Tokens in groups of 4, the last of which may have 3.
  const whole = (tokenCount + 1) & -4;
  for (let row = 0; row < rowCount; row += 8) {
    let x = tokens;
    let o = out + row * 4;
    for (let token = 0; token < whole; token += 4) {
      let s0 = i32x4.splat(0);
      let s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
      let w = rows;
      for (const end = x + columns * 8; x < end; x += 16) {
        const low = v128.load(w);
        const high = v128.load(w, 16);
        const four = v128.load(x);
        let one = v128.shuffle<i32>(four, four, 0, 0, 0, 0);
        s0 = dot(s0, low, one);
        s1 = dot(s1, high, one);
        one = v128.shuffle<i32>(four, four, 1, 1, 1, 1);
        s2 = dot(s2, low, one);
        s3 = dot(s3, high, one);
        one = v128.shuffle<i32>(four, four, 2, 2, 2, 2);
        s4 = dot(s4, low, one);
        s5 = dot(s5, high, one);
        one = v128.shuffle<i32>(four, four, 3, 3, 3, 3);
        s6 = dot(s6, low, one);
        s7 = dot(s7, high, one);
        w += 32;
      }
      const scales = tokenScales + token * 4;
      finish(o, s0, s1, v128.load32_splat(scales), rowScales, bias, add);
      o += outStride;
      finish(o, s2, s3, v128.load32_splat(scales, 4), rowScales, bias, add);
      o += outStride;
      finish(o, s4, s5, v128.load32_splat(scales, 8), rowScales, bias, add);
      o += outStride;
      finish(o, s6, s7, v128.load32_splat(scales, 12), rowScales, bias, add);
      o += outStride;
    }
    if (whole < tokenCount) {
      const scales = tokenScales + whole * 4;
      productOfTwo(x, scales, rows, rowScales, bias, o, outStride, columns, add);
    }
    rows += columns * 16;
    rowScales += 32;
    if (bias) bias += 32;
  }
}
