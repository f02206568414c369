/** Elementary functions of four float32 values. */

/** 1.5 × 2²³: adding it rounds a value below 2²² to an integer, which is then in the low bits of the sum. */
const ROUNDER: f32 = 12582912.0;

/** Rounds to the nearest integer (half to even), as i32. Requires |x| < 2²². */
// @ts-ignore: decorator
@inline
export function roundToInt(x: v128): v128 {
  const rounder = f32x4.splat(ROUNDER);
  return i32x4.sub(f32x4.add(x, rounder), rounder);
}

// @ts-ignore: decorator
@inline
function step(sum: v128, x: v128, coefficient: f32): v128 {
  return f32x4.add(f32x4.mul(sum, x), f32x4.splat(coefficient));
}

/**
 * Computes eˣ for x ≤ 0 with a relative error below 2⁻²². Values below −87 count as −87.
 *
 * 2ⁿ × eʳ with n = round(x / ln 2), and Cephes' polynomial (expf) for eʳ.
 */
// @ts-ignore: decorator
@inline
export function exp(x: v128): v128 {
  x = f32x4.pmax(f32x4.splat(-87.0), x);
  const n = roundToInt(f32x4.mul(x, f32x4.splat(1.44269504088896341)));
  const rounded = f32x4.convert_i32x4_s(n);
  // ln 2 in two parts, so that the product with the first one is exact.
  let r = f32x4.sub(x, f32x4.mul(rounded, f32x4.splat(0.693359375)));
  r = f32x4.add(r, f32x4.mul(rounded, f32x4.splat(2.12194440e-4)));
  let sum = f32x4.splat(1.9875691500e-4);
  sum = step(sum, r, 1.3981999507e-3);
  sum = step(sum, r, 8.3334519073e-3);
  sum = step(sum, r, 4.1665795894e-2);
  sum = step(sum, r, 1.6666665459e-1);
  sum = step(sum, r, 5.0000001201e-1);
  sum = f32x4.add(f32x4.add(f32x4.mul(f32x4.mul(sum, r), r), r), f32x4.splat(1.0));
  return f32x4.mul(sum, i32x4.shl(i32x4.add(n, i32x4.splat(127)), 23));
}

/**
 * Computes the error function with an error below 5 × 10⁻⁷: the rational approximation of Eigen (`generic_fast_erf_float`)
 * on −4 to 4, outside of which float32 has ±1.
 */
// @ts-ignore: decorator
@inline
export function erf(x: v128): v128 {
  x = f32x4.pmax(f32x4.splat(-4.0), f32x4.pmin(f32x4.splat(4.0), x));
  const square = f32x4.mul(x, x);
  let p = f32x4.splat(-2.72614225801306e-10);
  p = step(p, square, 2.77068142495902e-8);
  p = step(p, square, -2.10102402082508e-6);
  p = step(p, square, -5.69250639462346e-5);
  p = step(p, square, -7.34990630326855e-4);
  p = step(p, square, -2.95459980854025e-3);
  p = step(p, square, -1.60960333262415e-2);
  let q = f32x4.splat(-1.45660718464996e-5);
  q = step(q, square, -2.13374055278905e-4);
  q = step(q, square, -1.68282697438203e-3);
  q = step(q, square, -7.37332916720468e-3);
  q = step(q, square, -1.42647390514189e-2);
  return f32x4.div(f32x4.mul(x, p), q);
}

/** Adds the four lanes. */
// @ts-ignore: decorator
@inline
export function sumLanes(x: v128): f32 {
  x = f32x4.add(x, v128.shuffle<i32>(x, x, 2, 3, 0, 1));
  return f32x4.extract_lane(x, 0) + f32x4.extract_lane(x, 1);
}

/** Returns the largest lane. */
// @ts-ignore: decorator
@inline
export function maxLane(x: v128): f32 {
  x = f32x4.pmax(x, v128.shuffle<i32>(x, x, 2, 3, 0, 1));
  return max(f32x4.extract_lane(x, 0), f32x4.extract_lane(x, 1));
}
