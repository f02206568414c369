/** Data per chunk, in blocks of 4,096 ids: years of replaced documents leave gaps. */

/** Bits of an id within its block. */
export const BLOCK_BITS: u32 = 12;
export const BLOCK_MASK: u32 = 4095;

// Layout of a block, which kernel.ts knows: 16-bit lengths, then 16-bit marks.
const MARKS: usize = 8192;

/** Address of a pointer to each block; ids without chunks share one block, whose lengths stay 0. */
let directory: usize = 0;
export let blockCount: u32 = 0;
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
  return lengthsOn(id >> BLOCK_BITS);
}

/** Returns the address of a block. */
// @ts-ignore: decorator
@inline
export function lengthsOn(block: u64): usize {
  return block < blockCount ? <usize> load<u32>(directory + (<usize> block << 2)) : noChunks;
}

/** Returns the address of the mark of a chunk. */
// @ts-ignore: decorator
@inline
export function markOf(id: u64): usize {
  return lengthsOf(id) + MARKS + (<usize> (<u32> id & BLOCK_MASK) << 1);
}
