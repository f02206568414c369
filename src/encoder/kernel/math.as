/** Arithmetic of four float32 values. */

/** 1.5 × 2²³: adding it rounds a value below 2²² to an integer, which is then in the low bits of the sum. */
const ROUNDER: f32 = 12582912.0;

/** Rounds to the nearest integer (half to even), as i32. Requires |x| < 2²². */
// @ts-ignore: decorator
@inline
export function roundToInt(x: v128): v128 {
  const rounder = f32x4.splat(ROUNDER);
  return i32x4.sub(f32x4.add(x, rounder), rounder);
}

/**
 * Returns four copies of a constant. To be called before a loop, with zeros that the compiler does not know to be zeros:
 * V8 builds a constant with three instructions at each use, but keeps other values in registers.
 */
// @ts-ignore: decorator
@inline
export function constant(value: f32, zeros: v128): v128 {
  return v128.or(f32x4.splat(value), zeros);
}

/** Returns `sum × x + coefficient`. */
// @ts-ignore: decorator
@inline
export function step(sum: v128, x: v128, coefficient: v128): v128 {
  return f32x4.add(f32x4.mul(sum, x), coefficient);
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
