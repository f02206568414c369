/** Functions of the rows of a matrix: embeddings, layer normalization, GELU, pooling. */
import { erf, sumLanes } from "./math";

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

/** Applies x/2 × (1 + erf(x/√2)) to each of `count` values, in place. */
export function gelu(values: usize, count: i32): void {
  for (const end = values + count * 4; values < end; values += 16) {
    const x = v128.load(values);
    const half = f32x4.mul(x, f32x4.splat(0.5));
    const cumulative = erf(f32x4.mul(x, f32x4.splat(0.70710678118654752)));
    v128.store(values, f32x4.add(half, f32x4.mul(half, cumulative)));
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
