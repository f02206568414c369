/**
 * Posting lists in the cache, of two bytes per posting. A group for each block of ids has a header of 32 bits (the number
 * of the block, and that of its postings minus 1), the size of its frequencies in 16 bits, an entry of 16 bits per
 * posting (12 bits of the id, 4 of the frequency), and a byte for each frequency of 15 or more. Groups ascend.
 */
import { BLOCK_BITS, BLOCK_MASK, blockCount } from "./chunks";
import { DAMAGED } from "./leaf_page";

export const HEADER_BYTES: usize = 6;
/** Frequency of an entry whose frequency is in a byte of its own. */
export const LARGE_FREQUENCY: u32 = 15;
const BLOCK_CHUNKS: u32 = 4096;

/** Number of postings and of large frequencies of each block, then the addresses of the next ones. */
let table: usize = 0;

/** @param address Address of 8 bytes per block. */
export function setPacking(address: usize): void {
  table = address;
}

/** Returns the number of postings of a group by its header. */
// @ts-ignore: decorator
@inline
export function countOf(header: u32): u32 {
  return (header & BLOCK_MASK) + 1;
}

/** Returns the address after a group. */
// @ts-ignore: decorator
@inline
export function groupAfter(group: usize): usize {
  const frequencies = (<usize> load<u16>(group, 4) + 1) & ~1;
  return group + HEADER_BYTES + (<usize> countOf(load<u32>(group)) << 1) + frequencies;
}

/**
 * Returns the size of a posting list in bytes, or {@link DAMAGED} if a block has more postings than ids.
 *
 * @param ids Address of 32-bit ids, in any order.
 * @param frequencies Address of 8-bit frequencies.
 */
export function measurePostings(ids: usize, frequencies: usize, count: u32): i32 {
  memory.fill(table, 0, <usize> blockCount << 3);
  for (let i: u32 = 0; i < count; i++) {
    const at = table + (<usize> (load<u32>(ids + (<usize> i << 2)) >> BLOCK_BITS) << 3);
    store<u32>(at, load<u32>(at) + 1);
    store<u32>(at, load<u32>(at, 4) + u32(<u32> load<u8>(frequencies + i) >= LARGE_FREQUENCY), 4);
  }
  let size: usize = 0;
  for (let block: u32 = 0; block < blockCount; block++) {
    const at = table + (<usize> block << 3);
    const postings = load<u32>(at);
    if (postings == 0) continue;
    if (postings > BLOCK_CHUNKS) return DAMAGED;
    size += HEADER_BYTES + (<usize> postings << 1) + ((<usize> load<u32>(at, 4) + 1) & ~1);
  }
  return <i32> size;
}

/** Packs the posting list that {@link measurePostings} has measured. */
export function packPostings(ids: usize, frequencies: usize, count: u32, out: usize): void {
  for (let block: u32 = 0; block < blockCount; block++) {
    const at = table + (<usize> block << 3);
    const postings = load<u32>(at);
    if (postings == 0) continue;
    const large = load<u32>(at, 4);
    store<u32>(out, (block << BLOCK_BITS) | (postings - 1));
    store<u16>(out, <u16> large, 4);
    const entries = out + HEADER_BYTES;
    const end = entries + (<usize> postings << 1);
    store<u32>(at, <u32> entries);
    store<u32>(at, <u32> end, 4);
    out = end + ((<usize> large + 1) & ~1);
  }
  for (let i: u32 = 0; i < count; i++) {
    const id = load<u32>(ids + (<usize> i << 2));
    const frequency = <u32> load<u8>(frequencies + i);
    const at = table + (<usize> (id >> BLOCK_BITS) << 3);
    const entry = load<u32>(at);
    store<u16>(entry, <u16> ((id & BLOCK_MASK) | (min(frequency, LARGE_FREQUENCY) << BLOCK_BITS)));
    store<u32>(at, entry + 2);
    if (frequency < LARGE_FREQUENCY) continue;
    const large = load<u32>(at, 4);
    store<u8>(large, <u8> frequency);
    store<u32>(at, large + 1, 4);
  }
}

/** Writes the 32-bit ids of a packed posting list of `count` postings. */
export function unpackIds(list: usize, count: u32, out: usize): void {
  const outEnd = out + (<usize> count << 2);
  while (out < outEnd) {
    const header = load<u32>(list);
    const first = header & ~BLOCK_MASK;
    const next = groupAfter(list);
    let at = list + HEADER_BYTES;
    const end = at + (<usize> countOf(header) << 1);
    for (; at < end; at += 2) {
      store<u32>(out, first | (<u32> load<u16>(at) & BLOCK_MASK));
      out += 4;
    }
    list = next;
  }
}

/**
 * Returns which of up to 32 chunks a packed posting list of `count` postings contains, as bits.
 *
 * @param ids Address of 32-bit ids.
 */
export function findIds(list: usize, count: u32, ids: usize, n: u32): u32 {
  let found: u32 = 0;
  for (let left = count; left > 0;) {
    const header = load<u32>(list);
    const entries = list + HEADER_BYTES;
    const postings = countOf(header);
    for (let i: u32 = 0; i < n; i++) {
      const id = load<u32>(ids + (<usize> i << 2));
      if (id >> BLOCK_BITS != header >> BLOCK_BITS) continue;
      if (hasEntry(entries, postings, id & BLOCK_MASK)) found |= 1 << i;
    }
    left -= postings;
    list = groupAfter(list);
  }
  return found;
}

/** Whether one of a group's entries, which are in any order, has an id. */
function hasEntry(entries: usize, count: u32, id: u32): bool {
  const wanted = i16x8.splat(<i16> id);
  const mask = i16x8.splat(<i16> BLOCK_MASK);
  let i: u32 = 0;
  for (; i + 8 <= count; i += 8) {
    const eight = v128.and(v128.load(entries + (<usize> i << 1)), mask);
    if (v128.any_true(i16x8.eq(eight, wanted))) return true;
  }
  for (; i < count; i++) if ((<u32> load<u16>(entries + (<usize> i << 1)) & BLOCK_MASK) == id) return true;
  return false;
}
