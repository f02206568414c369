/** Finds terms on the pages of an index: `%_idx` in memory; term_pages.ts writes it. */
import { DAMAGED, doclistEnd, doclistStart, findDoclist } from "./leaf_page";
import { hashOf, isRuledOut as isShortRuledOut, mayContain, prefixHashOf, SHORT_FILTER_BYTES } from "./term_filter";

/** Size of a page's length, which precedes the page. */
const LENGTH_BYTES: usize = 4;

/** First entry and end of each segment, in 32 bits. */
let segments: usize = 0;
/** Offset of the key of each entry, and the end of the last key. */
let offsets: usize = 0;
/** First term on the page of each entry, or a prefix of it. */
let keys: usize = 0;
/** Address of the page of each entry; 0: not in memory. */
let pages: usize = 0;
/** Short filter of each entry; 0: none. */
let shortFilters: usize = 0;
/** Size of the filter before each page; 0: none. */
let filterBytes: u32 = 0;

export function setDirectory(
  segmentsAt: usize,
  offsetsAt: usize,
  keysAt: usize,
  pagesAt: usize,
  shortFiltersAt: usize,
  filter: u32,
): void {
  segments = segmentsAt;
  offsets = offsetsAt;
  keys = keysAt;
  pages = pagesAt;
  shortFilters = shortFiltersAt;
  filterBytes = filter;
}

/** Returns the first entry of a segment whose key is after a key. */
function entryAfter(segment: u32, key: usize, keyLength: u32): u32 {
  const range = segments + (<usize> segment << 3);
  let low = load<u32>(range);
  let high = load<u32>(range, 4);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareEntry(middle, key, keyLength) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Compares as SQLite compares blobs. */
function compareEntry(entry: u32, key: usize, keyLength: u32): i32 {
  const start = load<u32>(offsets + (<usize> entry << 2));
  const length = load<u32>(offsets + (<usize> entry << 2), 4) - start;
  const common = min(length, keyLength);
  const bytes = keys + start;
  for (let i: u32 = 0; i < common; i++) {
    const difference = <i32> load<u8>(bytes + i) - <i32> load<u8>(key + i);
    if (difference != 0) return difference;
  }
  return <i32> length - <i32> keyLength;
}

/**
 * Finds the pages with the terms from a key up to another: writes the first entry and the end for each segment, which
 * are equal if the filter of the only page rules out such terms.
 *
 * @param end Key with the same length.
 */
export function findRange(segmentCount: u32, key: usize, end: usize, keyLength: u32, out: usize): void {
  const hash = filterBytes > 0 ? prefixHashOf(key, keyLength) : 0;
  for (let segment: u32 = 0; segment < segmentCount; segment++) {
    const first = load<u32>(segments + (<usize> segment << 3));
    const after = entryAfter(segment, key, keyLength);
    const from = after == first ? first : after - 1;
    let next = from + 1;
    const limit = load<u32>(segments + (<usize> segment << 3), 4);
    // Most prefixes are on one page.
    if (next < limit && compareEntry(next, end, keyLength) < 0) next = max(next, entryAfter(segment, end, keyLength));
    const frame = <usize> load<u32>(pages + (<usize> from << 2));
    const isRuledOut = next == from + 1 && hash != 0 && frame != 0 && !mayContain(frame - filterBytes, hash);
    store<u32>(out, from);
    store<u32>(out, isRuledOut ? from : next, 4);
    out += 8;
  }
}

/** Size of what {@link findTerm} writes per doclist. */
const FOUND_BYTES: usize = 16;

let missingCount: u32 = 0;

/** Returns the number of pages that {@link findTerm} lacked. */
export function missingPages(): u32 {
  return missingCount;
}

/**
 * Finds the doclists of a term. Writes for each one the entry of its page, the address of the page, and the offsets of
 * its start and end; and the entries of pages that are not in memory, unless their short filter rules out the term.
 *
 * @param segmentCount Number of segments, each with at least one entry.
 * @returns Number of doclists, or {@link DAMAGED}.
 */
export function findTerm(
  segmentCount: u32,
  key: usize,
  keyLength: u32,
  found: usize,
  missing: usize,
): i32 {
  const hash = filterBytes > 0 || shortFilters != 0 ? hashOf(key, keyLength) : 0;
  let count = 0;
  missingCount = 0;
  for (let segment: u32 = 0; segment < segmentCount; segment++) {
    const after = entryAfter(segment, key, keyLength);
    const first = load<u32>(segments + (<usize> segment << 3));
    const entry = after == first ? first : after - 1;
    if (shortFilters != 0 && isShortRuledOut(shortFilters + <usize> entry * SHORT_FILTER_BYTES, hash)) continue;
    const frame = <usize> load<u32>(pages + (<usize> entry << 2));
    if (frame == 0) {
      store<u32>(missing + (<usize> missingCount << 2), entry);
      missingCount++;
      continue;
    }
    const page = frame + LENGTH_BYTES;
    if (filterBytes > 0 && !mayContain(frame - filterBytes, hash)) continue;
    const state = findDoclist(page, load<u32>(frame), key, keyLength);
    if (state == DAMAGED) return DAMAGED;
    if (state == 0) continue;
    store<u32>(found, entry);
    store<u32>(found, <u32> page, 4);
    store<u32>(found, doclistStart, 8);
    store<u32>(found, doclistEnd, 12);
    found += FOUND_BYTES;
    count++;
  }
  return count;
}
