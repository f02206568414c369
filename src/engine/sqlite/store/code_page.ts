/*
 * A page of codes of up to 2,048 vectors, from which a search estimates dot products (Gao & Long, "RaBitQ: Quantizing
 * High-Dimensional Vectors with a Theoretical Error Bound", SIGMOD 2024). The code of a vector has two bits per dimension
 * of y, the vector minus the mean of the set: its sign, -1 or 1, and whether it is large, that is, more than the root mean
 * square of all dimensions. All numbers are little-endian, of 2,048 vectors each, the unused ones 0:
 *
 *   u32     id of the chunk
 *   u32     seq of the vector
 *   f32     offset: dot product of the vector and the mean
 *   f32     factor of the signs b: |y|² / (b · y)
 *   f32     factor of the signs with sizes c, the signs times 1.5 for large dimensions and 0.5 for others: |y|² / (c · y)
 *   signs   in blocks of 32 vectors: 16 bytes for each four dimensions; bit d of byte i is the sign of dimension d of
 *           vector i in its lower half, and of vector 16 + i in its upper half
 *   sizes   in the same order
 *
 * For a query q, (q - mean) · y is estimated as factor × ((q - mean) · b), without bias, and more precisely with c.
 */

/** Maximum number of vectors of a page. */
export const PAGE_VECTORS = 2048;
/** Number of vectors of a block of codes. */
export const BLOCK_VECTORS = 32;

/** Offsets of the parts of a page, in bytes, and its size. */
export interface CodePageLayout {
  readonly ids: number;
  readonly seqs: number;
  readonly offsets: number;
  readonly signFactors: number;
  readonly sizeFactors: number;
  readonly signs: number;
  readonly sizes: number;
  readonly bytes: number;
  /** Number of groups of four dimensions. */
  readonly segments: number;
}

/** Returns the layout of pages of vectors with these dimensions. */
export function codePageLayout(dimensions: number): CodePageLayout {
  const column = 4 * PAGE_VECTORS;
  const segments = Math.ceil(dimensions / 4);
  const signs = 5 * column;
  const sizes = signs + segments * PAGE_VECTORS / 2;
  return {
    ids: 0,
    seqs: column,
    offsets: 2 * column,
    signFactors: 3 * column,
    sizeFactors: 4 * column,
    signs,
    sizes,
    bytes: sizes + segments * PAGE_VECTORS / 2,
    segments,
  };
}

/** A vector of a page. */
export interface PageVector {
  readonly chunkId: number;
  readonly seq: number;
  readonly vector: Float32Array;
}

/** Mean standard deviations of the errors of estimates, for a query at distance 1 from the mean. */
export interface CodeDeviations {
  /** Of estimates from signs. */
  readonly signs: number;
  /** Of estimates from signs with sizes. */
  readonly sizes: number;
}

/** A page of codes. */
export interface CodePage {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly deviations: CodeDeviations;
}

/**
 * Encodes a page.
 *
 * @param vectors At most {@linkcode PAGE_VECTORS}, with the dimensions of the mean.
 */
export function encodeCodePage(vectors: readonly PageVector[], mean: Float32Array): CodePage {
  const layout = codePageLayout(mean.length);
  const bytes = new Uint8Array(layout.bytes);
  const column = (offset: number) => new Float32Array(bytes.buffer, offset, PAGE_VECTORS);
  const ids = new Uint32Array(bytes.buffer, layout.ids, PAGE_VECTORS);
  const seqs = new Uint32Array(bytes.buffer, layout.seqs, PAGE_VECTORS);
  const [offsets, signFactors, sizeFactors] = [layout.offsets, layout.signFactors, layout.sizeFactors].map(
    column,
  );
  const deviations = { signs: 0, sizes: 0 };
  const centered = new Float64Array(mean.length);
  for (const [index, { chunkId, seq, vector }] of vectors.entries()) {
    let squares = 0;
    let offset = 0;
    for (let i = 0; i < mean.length; i++) {
      centered[i] = vector[i]! - mean[i]!;
      squares += centered[i]! ** 2;
      offset += vector[i]! * mean[i]!;
    }
    const large = Math.sqrt(squares / mean.length);
    const at = codeOffset(index, layout.segments);
    let [signSum, sizeSum, sizeSquares] = [0, 0, 0];
    for (let i = 0; i < mean.length; i++) {
      const size = Math.abs(centered[i]!);
      const bit = 1 << shiftOf(index) + (i & 3);
      const level = size > large ? 1.5 : 0.5;
      signSum += size;
      sizeSum += level * size;
      sizeSquares += level * level;
      if (centered[i]! >= 0) bytes[layout.signs + at + 16 * (i >> 2)]! |= bit;
      if (size > large) bytes[layout.sizes + at + 16 * (i >> 2)]! |= bit;
    }
    ids[index] = chunkId;
    seqs[index] = seq;
    offsets![index] = offset;
    signFactors![index] = signSum === 0 ? 0 : squares / signSum;
    sizeFactors![index] = sizeSum === 0 ? 0 : squares / sizeSum;
    // factor × code is y plus an error that is orthogonal to y, and has an arbitrary direction otherwise.
    const error = (factor: number, codeSquares: number) =>
      Math.sqrt(Math.max(0, factor * factor * codeSquares - squares) / Math.max(1, mean.length - 1));
    deviations.signs += error(signFactors![index]!, mean.length) / vectors.length;
    deviations.sizes += error(sizeFactors![index]!, sizeSquares) / vectors.length;
  }
  return { bytes, deviations };
}

/** Returns the offset of the first byte of a vector's code within the signs or sizes. */
export function codeOffset(index: number, segments: number): number {
  const inBlock = index % BLOCK_VECTORS;
  return (index - inBlock) / 2 * segments + inBlock % 16;
}

/** Returns the lowest bit of a vector in each byte of its code. */
export function shiftOf(index: number): number {
  return index % BLOCK_VECTORS < 16 ? 0 : 4;
}
