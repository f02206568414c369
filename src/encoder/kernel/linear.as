/**
 * Linear layers: int16 activations × int8 weights, summed in int32, scaled to float32.
 *
 * The instruction of the inner loop, `i32x4.dot_i16x8_s` (`pmaddwd`, `smlal`), is in every runtime with SIMD and has one
 * result on all of them. Relaxed SIMD would multiply 8-bit activations 1.4 times as fast, but they have too few levels: with
 * 7 bits, the vectors of all-MiniLM-L6-v2 differ from those of float32 by up to 0.02 in cosine.
 */

/** Columns of a weight matrix that share a scale per row; see quantized weights in ../weights.ts. */
const GROUP: i32 = 64;

/** Adds the products of two columns of 8 rows (`low`, `high`) with those of a token to an accumulator. */
// @ts-ignore: decorator
@inline
function dot(sum: v128, weights: v128, activations: v128): v128 {
  return i32x4.add(sum, i32x4.dot_i16x8_s(weights, activations));
}

/** Adds `sums × scales` to the partial result at an address. */
// @ts-ignore: decorator
@inline
function accumulate(address: usize, sums: v128, scales: v128): void {
  v128.store(address, f32x4.add(v128.load(address), f32x4.mul(f32x4.convert_i32x4_s(sums), scales)));
}

/** Writes a row of a tile: `partial × scale + bias`, plus the value in `out` if `add`. */
// @ts-ignore: decorator
@inline
function finish(partial: usize, scale: f32, bias: usize, out: usize, add: bool): void {
  const scales = f32x4.splat(scale);
  let low = f32x4.add(f32x4.mul(v128.load(partial), scales), v128.load(bias));
  let high = f32x4.add(f32x4.mul(v128.load(partial, 16), scales), v128.load(bias, 16));
  if (add) {
    low = f32x4.add(low, v128.load(out));
    high = f32x4.add(high, v128.load(out, 16));
  }
  v128.store(out, low);
  v128.store(out, high, 16);
}

/**
 * Computes `out = activations × weightsᵀ + bias`, plus `out` if `add` (a residual connection).
 *
 * A tile of 4 tokens × 8 rows of weights stays in 8 registers, so that each load feeds several products. The weights of
 * 8 rows are in the first-level cache while all tokens pass.
 *
 * @param activations int16, `tokens × columns`; followed by values up to a multiple of 4 tokens, with any content.
 * @param activationScales float32 per token.
 * @param weights int8; blocks of 8 rows, each `columns / 2 × 8 rows × 2 columns`.
 * @param weightScales float32; blocks of 8 rows, each `columns / 64 × 8 rows`.
 * @param bias float32 per row.
 * @param out float32, `tokens × rows`; as long as `activations`, in tokens.
 * @param rows Multiple of 8.
 * @param columns Multiple of 64.
 * @param partial 128 bytes of scratch.
 */
export function linear(
  activations: usize,
  activationScales: usize,
  weights: usize,
  weightScales: usize,
  bias: usize,
  out: usize,
  tokens: i32,
  rows: i32,
  columns: i32,
  add: bool,
  partial: usize,
): void {
  const stride = columns * 2;
  const outStride = rows * 4;
  const groups = columns / GROUP;
  for (let row = 0; row < rows; row += 8) {
    for (let token = 0; token < tokens; token += 4) {
      let a0 = activations + token * stride;
      let a1 = a0 + stride;
      let a2 = a1 + stride;
      let a3 = a2 + stride;
      let w = weights;
      memory.fill(partial, 0, 128);
      for (let group = 0; group < groups; group++) {
        let s0 = i32x4.splat(0);
        let s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
        const end = a0 + 2 * GROUP;
        while (a0 < end) {
          let low = v128.load8x8_s(w);
          let high = v128.load8x8_s(w, 8);
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
          low = v128.load8x8_s(w, 16);
          high = v128.load8x8_s(w, 24);
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
          w += 32;
          a0 += 8;
          a1 += 8;
          a2 += 8;
          a3 += 8;
        }
        const lowScales = v128.load(weightScales + group * 32);
        const highScales = v128.load(weightScales + group * 32, 16);
        accumulate(partial, s0, lowScales);
        accumulate(partial + 16, s1, highScales);
        accumulate(partial + 32, s2, lowScales);
        accumulate(partial + 48, s3, highScales);
        accumulate(partial + 64, s4, lowScales);
        accumulate(partial + 80, s5, highScales);
        accumulate(partial + 96, s6, lowScales);
        accumulate(partial + 112, s7, highScales);
      }
      let o = out + token * outStride;
      const scales = activationScales + token * 4;
      finish(partial, load<f32>(scales), bias, o, add);
      o += outStride;
      finish(partial + 32, load<f32>(scales, 4), bias, o, add);
      o += outStride;
      finish(partial + 64, load<f32>(scales, 8), bias, o, add);
      o += outStride;
      finish(partial + 96, load<f32>(scales, 12), bias, o, add);
    }
    weights += 8 * columns;
    weightScales += 32 * groups;
    bias += 32;
    out += 32;
  }
}
