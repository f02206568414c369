/** Data per chunk, in blocks of 4,096 ids: years of replaced documents leave gaps. */

/** Bits of an id within its block. */
export const BLOCK_BITS: u32 = 12;
const BLOCK_MASK: u32 = 4095;

// Layout of a block, which kernel.ts knows: 16-bit lengths, a slot of 16 bytes per chunk, and 64 bits per chunk.
/**
 * Slots. All that a posting changes is on one line of the processor's cache: most postings of a large index are far
 * from each other, so that reading memory takes most of the time.
 */
const SLOTS: usize = 8192;
/** In a slot: the score in 64 bits, the sum of weights in 32, the length in 16, and 16 bits that mark alternatives. */
export const MATCHED: usize = 8;
export const LENGTH: usize = 12;
export const HAS_ALTERNATIVE: usize = 14;
/** 64-bit scores of the best alternative, or marks. */
export const BEST: usize = 73728;

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

/** Returns the slot of a chunk in its block. */
// @ts-ignore: decorator
@inline
export function slotOf(chunks: usize, id: u32): usize {
  return chunks + SLOTS + (indexOf(id) << 4);
}

/** Returns the offset of a chunk in its block. */
// @ts-ignore: decorator
@inline
export function indexOf(id: u32): usize {
  return <usize> (id & BLOCK_MASK);
}
