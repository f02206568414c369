/** Data per chunk, in blocks of 4,096 ids: years of replaced documents leave gaps. */

/** Bits of an id within its block. */
export const BLOCK_BITS: u32 = 12;
const BLOCK_MASK: u32 = 4095;

// Layout of a block; kernel.ts knows its size and that the lengths come first.
/** 64-bit scores, after 16-bit lengths. */
export const SCORES: usize = 8192;
/** 64-bit scores of the best alternative. */
export const BEST: usize = 40960;
/** 32-bit sums of weights. */
export const MATCHED: usize = 73728;

/** Address of a pointer to each block; ids without chunks share one block, whose lengths stay 0. */
let directory: usize = 0;
let blockCount: u32 = 0;
let noChunks: usize = 0;

export function setBlocks(pointers: usize, count: u32, empty: usize): void {
  directory = pointers;
  blockCount = count;
  noChunks = empty;
}

/** Returns the address of the block of an id, at which the lengths of its chunks start. */
// @ts-ignore: decorator
@inline
export function lengthsOf(id: u64): usize {
  const block = id >> BLOCK_BITS;
  return block < blockCount ? <usize> load<u32>(directory + (<usize> block << 2)) : noChunks;
}

/** Returns the offset of a chunk in its block. */
// @ts-ignore: decorator
@inline
export function indexOf(id: u32): usize {
  return <usize> (id & BLOCK_MASK);
}
