/** Functions of the rows of a matrix: embeddings, layer normalization, GELU, pooling. */
import { constant, step, sumLanes } from "./math";

/** Columns of a matrix that share a scale per row. */
const GROUP = 64;

/**
 * Writes the sum of the three embeddings of each token.
 *
 * @param ids u32 per token, below the size of the vocabulary.
 * @param words int8, `vocabulary × hidden`.
 * @param wordScales float32, `vocabulary × hidden / 64`: one scale per 64 columns.
 * @param positions float32, `tokens × hidden`: position and token type embeddings.
 * @param out float32, `tokens × hidden`.
 */
export function embed(
  ids: usize,
  words: usize,
  wordScales: usize,
  positions: usize,
  out: usize,
  tokens: i32,
  hidden: i32,
): void {
  for (let token = 0; token < tokens; token++) {
    const row = load<u32>(ids + token * 4) * hidden;
    let word = words + row;
    let scales = wordScales + row / GROUP * 4;
    for (const end = word + hidden; word < end; scales += 4) {
      const scale = v128.load32_splat(scales);
      for (const groupEnd = word + GROUP; word < groupEnd; word += 8) {
        const values = v128.load8x8_s(word);
        const low = f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(values));
        const high = f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(values));
        v128.store(out, f32x4.add(f32x4.mul(low, scale), v128.load(positions)));
        v128.store(out, f32x4.add(f32x4.mul(high, scale), v128.load(positions, 16)), 16);
        positions += 32;
        out += 32;
      }
    }
  }
}

/** Normalizes each row to mean 0 and variance 1, then applies the weight and bias of each column. In place. */
export function layerNorm(
  rows: usize,
  weight: usize,
  bias: usize,
  count: i32,
  columns: i32,
  epsilon: f32,
): void {
  const size = columns * 4;
  for (const end = rows + count * size; rows < end; rows += size) {
    let sum = f32x4.splat(0);
    for (let i = 0; i < size; i += 16) sum = f32x4.add(sum, v128.load(rows + i));
    const mean = f32x4.splat(sumLanes(sum) / f32(columns));
    let squares = f32x4.splat(0);
    for (let i = 0; i < size; i += 16) {
      const difference = f32x4.sub(v128.load(rows + i), mean);
      squares = f32x4.add(squares, f32x4.mul(difference, difference));
    }
    const factor = f32x4.splat(1 / sqrt(sumLanes(squares) / f32(columns) + epsilon));
    for (let i = 0; i < size; i += 16) {
      const normalized = f32x4.mul(f32x4.sub(v128.load(rows + i), mean), factor);
      v128.store(rows + i, f32x4.add(f32x4.mul(normalized, v128.load(weight + i)), v128.load(bias + i)));
    }
  }
}

/**
 * Applies GELU, x/2 × (1 + erf(x/√2)) (arXiv:1606.08415), to each of `count` values, in place.
 *
 * The error function is the rational approximation of Eigen (`generic_fast_erf_float`) on −4 to 4, outside of which it is ±1
 * in float32. Its error is below 5 × 10⁻⁷.
 */
export function gelu(values: usize, count: i32): void {
  const zeros = i32x4.splat(count >> 31);
  const limit = constant(4, zeros);
  const p13 = constant(-2.72614225801306e-10, zeros);
  const p11 = constant(2.77068142495902e-8, zeros);
  const p9 = constant(-2.10102402082508e-6, zeros);
  const p7 = constant(-5.69250639462346e-5, zeros);
  const p5 = constant(-7.34990630326855e-4, zeros);
  const p3 = constant(-2.95459980854025e-3, zeros);
  const p1 = constant(-1.60960333262415e-2, zeros);
  const q8 = constant(-1.45660718464996e-5, zeros);
  const q6 = constant(-2.13374055278905e-4, zeros);
  const q4 = constant(-1.68282697438203e-3, zeros);
  const q2 = constant(-7.37332916720468e-3, zeros);
  const q0 = constant(-1.42647390514189e-2, zeros);
  const root = constant(0.70710678118654752, zeros);
  const half = constant(0.5, zeros);
  for (const end = values + count * 4; values < end; values += 16) {
    const x = v128.load(values);
    const y = f32x4.pmax(f32x4.neg(limit), f32x4.pmin(limit, f32x4.mul(x, root)));
    const square = f32x4.mul(y, y);
    const p = step(
      step(step(step(step(step(p13, square, p11), square, p9), square, p7), square, p5), square, p3),
      square,
      p1,
    );
    const q = step(step(step(step(q8, square, q6), square, q4), square, q2), square, q0);
    const erf = f32x4.div(f32x4.mul(y, p), q);
    const halved = f32x4.mul(x, half);
    v128.store(values, f32x4.add(halved, f32x4.mul(halved, erf)));
  }
}

/** Writes the mean of rows, scaled to length 1. */
export function pool(rows: usize, out: usize, count: i32, columns: i32): void {
  const size = columns * 4;
  const factor = f32x4.splat(1 / f32(count));
  let squares = f32x4.splat(0);
  for (let i = 0; i < size; i += 16) {
    let sum = f32x4.splat(0);
    for (let row = 0; row < count; row++) sum = f32x4.add(sum, v128.load(rows + row * size + i));
    const mean = f32x4.mul(sum, factor);
    squares = f32x4.add(squares, f32x4.mul(mean, mean));
    v128.store(out + i, mean);
  }
  const length = f32x4.splat(max(sqrt(sumLanes(squares)), 1e-30));
  for (let i = 0; i < size; i += 16) v128.store(out + i, f32x4.div(v128.load(out + i), length));
}
