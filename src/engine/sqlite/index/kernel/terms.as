/** Reads the terms on leaf pages that start with a prefix. */
import { contentEnd, cursor, DAMAGED, hasValidHeader, isEmpty, varint } from "./leaf_page";

const HEADER_BYTES: u64 = 4;
/** Size of the buffer for a term. */
const MAX_TERM_BYTES: u64 = 65536;

let page: usize = 0;
let term: usize = 0;
let termLength: u64 = 0;
/** Length of the prefix that the current term shares with the key. */
let matched: u32 = 0;
/** 0 if the current term starts with the key, -1 if it sorts before such terms, and 1 if after them. */
let order: i32 = -1;
/** Address of the offset of the next term, and the end of the offsets. */
let offsets: usize = 0;
let offsetsEnd: usize = 0;
let termOffset: u32 = 0;
let isFirst = true;
let isDone = true;

/**
 * Starts to scan a page.
 *
 * @param termBuffer Address of {@link MAX_TERM_BYTES} for the current term.
 * @returns 0, or {@link DAMAGED}.
 */
export function startScan(address: usize, length: u32, termBuffer: usize): i32 {
  page = address;
  term = termBuffer;
  termLength = 0;
  matched = 0;
  order = -1;
  isFirst = true;
  isDone = length == 0;
  if (isDone) return 0;
  if (isEmpty(page, length) || !hasValidHeader(page, length)) return DAMAGED;
  offsets = page + contentEnd(page);
  offsetsEnd = page + length;
  termOffset = 0;
  return 0;
}

/**
 * Writes the next terms with a prefix, each after its length in 16 bits and without its first byte, which names the
 * index.
 *
 * @param key Prefix; the same in all calls for a page.
 * @returns Number of bytes written, 0 after the last term, or {@link DAMAGED}.
 */
export function scanTerms(key: usize, keyLength: u32, out: usize, outEnd: usize): i32 {
  const start = out;
  const end = page + contentEnd(page);
  let offset = termOffset;
  // Varints of one byte, which nearly all are, are decoded inline: a search reads thousands of terms.
  // A term may be as long as the buffer.
  while (!isDone && out + 2 + <usize> MAX_TERM_BYTES <= outEnd) {
    if (offsets >= offsetsEnd) {
      isDone = true;
      break;
    }
    let delta = <u64> load<u8>(offsets++);
    if (delta >= 128) {
      delta = varint(offsets - 1);
      offsets = cursor;
    }
    const next = <u64> offset + delta;
    if (offsets > offsetsEnd || delta == 0 || next < HEADER_BYTES || page + <usize> next >= end) return DAMAGED;
    offset = <u32> next;
    let at = page + offset;
    let shared: u64 = 0;
    if (!isFirst) {
      shared = <u64> load<u8>(at++);
      if (shared >= 128) {
        shared = varint(at - 1);
        at = cursor;
      }
    }
    isFirst = false;
    let suffix = <u64> load<u8>(at++);
    if (suffix >= 128) {
      suffix = varint(at - 1);
      at = cursor;
    }
    const length = shared + suffix;
    if (shared > termLength || length > MAX_TERM_BYTES || at + <usize> suffix > end) return DAMAGED;
    termLength = length;
    // A term that shares more with the previous one differs from the key at the same byte.
    if (shared <= matched) compare(key, keyLength, at - <usize> shared, <u32> shared, <u32> length);
    // Terms ascend.
    if (order > 0) isDone = true;
    if (order != 0) continue;
    if (shared < keyLength) memory.copy(term, key, keyLength);
    const known = max(<u32> shared, keyLength);
    memory.copy(term + known, at + known - <usize> shared, <usize> length - known);
    const bytes = <usize> length - 1;
    store<u16>(out, <u16> bytes);
    memory.copy(out + 2, term + 1, bytes);
    out += 2 + bytes;
  }
  termOffset = offset;
  return <i32> (out - start);
}

/** Compares the current term with the key, from the byte `shared` on; `bytes` is the address of its first byte. */
function compare(key: usize, keyLength: u32, bytes: usize, shared: u32, length: u32): void {
  const common = min(length, keyLength);
  let n = shared;
  while (n < common && load<u8>(bytes + n) == load<u8>(key + n)) n++;
  matched = n;
  if (n == keyLength) order = 0;
  else if (n == length) order = -1;
  else order = load<u8>(bytes + n) < load<u8>(key + n) ? -1 : 1;
}
