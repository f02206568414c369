/** Reads the terms on leaf pages that start with a prefix. */
import {
  contentEnd,
  cursor,
  DAMAGED,
  hasValidHeader,
  isEmpty,
  nextTerm,
  startTerms,
  termOffset,
  varint,
} from "./leaf_page";

/** Size of the buffer for a term. */
const MAX_TERM_BYTES: u64 = 65536;

let page: usize = 0;
let term: usize = 0;
let termLength: u64 = 0;
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
  isFirst = true;
  isDone = length == 0;
  if (isDone) return 0;
  if (isEmpty(page, length) || !hasValidHeader(page, length)) return DAMAGED;
  startTerms(page, length);
  return 0;
}

/**
 * Writes the next terms with a prefix, each after its length in 16 bits and without its first byte, which names the
 * index.
 *
 * @returns Number of bytes written, 0 after the last term, or {@link DAMAGED}.
 */
export function scanTerms(key: usize, keyLength: u32, out: usize, outEnd: usize): i32 {
  const start = out;
  // A term may be as long as the buffer.
  while (!isDone && out + 2 + <usize> MAX_TERM_BYTES <= outEnd) {
    const state = nextTerm(page);
    if (state < 0) return DAMAGED;
    if (state == 0) {
      isDone = true;
      break;
    }
    cursor = page + termOffset;
    const shared = isFirst ? 0 : varint(cursor);
    const suffix = varint(cursor);
    isFirst = false;
    const length = shared + suffix;
    if (shared > termLength || length > MAX_TERM_BYTES || cursor + <usize> suffix > page + contentEnd(page)) {
      return DAMAGED;
    }
    memory.copy(term + <usize> shared, cursor, <usize> suffix);
    termLength = length;
    const order = compare(key, keyLength, <u32> length);
    // Terms ascend.
    if (order > 0) isDone = true;
    if (order != 0) continue;
    const bytes = <usize> length - 1;
    store<u16>(out, <u16> bytes);
    memory.copy(out + 2, term + 1, bytes);
    out += 2 + bytes;
  }
  return <i32> (out - start);
}

/** Returns 0 if the term starts with the key, -1 if it sorts before such terms, and 1 if after them. */
function compare(key: usize, keyLength: u32, length: u32): i32 {
  const count = min(keyLength, length);
  for (let i: u32 = 0; i < count; i++) {
    const a = load<u8>(term + i);
    const b = load<u8>(key + i);
    if (a != b) return a < b ? -1 : 1;
  }
  return length < keyLength ? -1 : 0;
}
