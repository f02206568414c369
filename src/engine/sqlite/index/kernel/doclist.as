/** Decodes doclists into postings: ids of chunks, and the weighted number of occurrences in each. */
import { contentEnd, cursor, DAMAGED, firstRowidOf, hasValidHeader, isEmpty, MAX_VALUE, varint } from "./leaf_page";
import { lengthsOf } from "./chunks";

/** The doclist ends on the page. */
const ENDED: i32 = 0;
/** The doclist continues on the next page, if there is one. */
const CONTINUES: i32 = 1;

const HEADER_BYTES: usize = 4;
const MAX_FREQUENCY: u32 = 255;
/** Weights of an occurrence in the title (3), a heading (2) and the body (1), in the bytes of an integer. */
const COLUMN_WEIGHTS: u32 = 0x010203;
const COLUMNS: u32 = 3;
const FIRST_COLUMN_WEIGHT: u32 = 3;
/** Start of a column in a position list. */
const COLUMN_MARKER: u32 = 1;
/** Longer position lists are read one by one. */
const MAX_POSITIONS_BYTES: u64 = 1 << 16;
/** Start of the body, the last column. Its occurrences have a weight of 1. */
const BODY_MARKER: u32 = 0x0201;

let ids: usize = 0;
let frequencies: usize = 0;
let capacity: u32 = 0;
let count: u32 = 0;

// The row whose position list continues on the next page.
let rowid: u64 = 0;
/** Bytes of its position list on the following pages. */
let remaining: u64 = 0;
let weight: u32 = 0;
let columnWeight: u32 = 0;
let isColumnNext = false;
let isDeleted = false;

/**
 * Starts a posting list.
 *
 * @param idsOut Address of 32-bit ids.
 * @param frequenciesOut Address of 8-bit frequencies.
 * @param max Maximum number of postings.
 */
export function startPostings(idsOut: usize, frequenciesOut: usize, max: u32): void {
  ids = idsOut;
  frequencies = frequenciesOut;
  capacity = max;
  count = 0;
}

/** Returns the number of postings read. */
export function postingCount(): u32 {
  return count;
}

/** Adds a posting unless its chunk does not exist. Returns {@link DAMAGED} if there are more rows than chunks. */
export function addPosting(id: u64, sum: u32): i32 {
  if (load<u16>(lengthsOf(id) + (<usize> id & 4095) * 2) == 0) return ENDED;
  if (count == capacity) return DAMAGED;
  store<u32>(ids + <usize> count * 4, <u32> id);
  store<u8>(frequencies + count, min(sum, MAX_FREQUENCY));
  count++;
  return ENDED;
}

/** Reads the doclist of a term on the page where it starts. Returns {@link ENDED}, {@link CONTINUES} or {@link DAMAGED}. */
export function readFirst(page: usize, start: u32, end: u32): i32 {
  rowid = 0;
  remaining = 0;
  return readRows(page, page + start, page + end);
}

/** Reads the doclist on the next page. Returns the same as {@link readFirst}. */
export function readNext(page: usize, length: u32): i32 {
  if (!hasValidHeader(page, length)) return DAMAGED;
  if (isEmpty(page, length)) return ENDED;
  const pageEnd = contentEnd(page);
  let end = pageEnd;
  if (pageEnd < length) {
    const offset = varint(page + pageEnd);
    if (cursor > page + length || offset < HEADER_BYTES || offset >= pageEnd) return DAMAGED;
    end = <u32> offset;
  }
  if (remaining > 0) {
    const at = readPositions(page + HEADER_BYTES, page + pageEnd);
    if (at == 0) return DAMAGED;
    if (remaining > 0) return CONTINUES;
    if (!isDeleted && weight > 0 && addPosting(rowid, weight) < 0) return DAMAGED;
    // The first rowid of a page is absolute.
    rowid = 0;
    return readRows(page, at, page + end);
  }
  const first = firstRowidOf(page);
  if (first == 0) return end < pageEnd ? ENDED : CONTINUES;
  rowid = 0;
  return readRows(page, page + first, page + end);
}

/**
 * Reads a part of the position list of a row that is on two pages or more. Returns the address after it, or 0 if it is
 * damaged.
 */
function readPositions(at: usize, pageEnd: usize): usize {
  const end = remaining < <u64> (pageEnd - at) ? at + <usize> remaining : pageEnd;
  if (end < at) return 0;
  remaining -= end - at;
  while (at < end) {
    let byte = <u32> load<u8>(at++);
    if (isColumnNext) {
      if (byte >= COLUMNS) return 0;
      columnWeight = (COLUMN_WEIGHTS >> (byte * 8)) & 255;
      isColumnNext = false;
    } else if (byte == COLUMN_MARKER) isColumnNext = true;
    else {
      while (byte >= 128) byte = <u32> load<u8>(at++);
      weight += columnWeight;
    }
  }
  return at == end && (remaining > 0 || !isColumnNext) ? at : 0;
}

/**
 * Returns the number of occurrences by a whole position list in the body, which most rows have; 0: it is another one, or
 * damaged. Sixteen bytes at once: a frequent word has a dozen positions per row, whose sizes no processor predicts.
 */
// @ts-ignore: decorator
@inline
function occurrencesInBody(at: usize, bytes: u64): u32 {
  if (bytes < 3 || load<u16>(at) != BODY_MARKER) return 0;
  if (bytes > 18) return manyOccurrences(at + 2, bytes - 2);
  const positions = v128.load(at + 2);
  const last = <u32> bytes - 3;
  const ends = ~(<u32> i8x16.bitmask(positions)) & ((2 << last) - 1);
  const ones = <u32> i8x16.bitmask(i8x16.eq(positions, i8x16.splat(<i8> COLUMN_MARKER)));
  // Within the number of a position, the byte is no marker.
  const isOther = (ones & ((ends << 1) | 1) & ends) | ((ends >> last) ^ 1);
  return isOther == 0 ? <u32> popcnt(ends) : 0;
}

/** Returns the same for more than sixteen bytes of positions. */
function manyOccurrences(at: usize, bytes: u64): u32 {
  if (bytes > MAX_POSITIONS_BYTES) return 0;
  let left = <u32> bytes;
  let n: u32 = 0;
  /** Whether a position starts at the address. */
  let isStart: u32 = 1;
  while (left > 0) {
    const positions = v128.load(at);
    const last = min<u32>(left, 16) - 1;
    const ends = ~(<u32> i8x16.bitmask(positions)) & ((2 << last) - 1);
    const ones = <u32> i8x16.bitmask(i8x16.eq(positions, i8x16.splat(<i8> COLUMN_MARKER)));
    if ((ones & ((ends << 1) | isStart) & ends) != 0) return 0;
    n += <u32> popcnt(ends);
    isStart = ends >> last;
    at += 16;
    left -= last + 1;
  }
  return isStart == 1 ? n : 0;
}

/** Reads rows up to an address. */
function readRows(page: usize, at: usize, end: usize): i32 {
  const pageEnd = page + contentEnd(page);
  const max = capacity;
  let id = rowid;
  let n = count;
  // Lengths of the chunks near the last row.
  let block: u64 = u64.MAX_VALUE;
  let lengths: usize = 0;
  while (at < end) {
    // Varints are decoded inline: a search spends most of its time in this loop.
    let byte = <u32> load<u8>(at++);
    let delta = <u64> (byte & 127);
    while (byte >= 128) {
      byte = <u32> load<u8>(at++);
      delta = (delta << 7) | (byte & 127);
      if (delta >= MAX_VALUE) return DAMAGED;
    }
    id += delta;
    byte = <u32> load<u8>(at++);
    let size = <u64> (byte & 127);
    while (byte >= 128) {
      byte = <u32> load<u8>(at++);
      size = (size << 7) | (byte & 127);
      if (size >= MAX_VALUE) return DAMAGED;
    }
    if (at > pageEnd) return DAMAGED;
    const bytes = size >> 1;
    if (bytes > <u64> (pageEnd - at)) {
      // The position list continues on the next page.
      count = n;
      rowid = id;
      remaining = bytes;
      isDeleted = (size & 1) == 1;
      weight = 0;
      columnWeight = FIRST_COLUMN_WEIGHT;
      isColumnNext = false;
      return readPositions(at, pageEnd) == 0 ? DAMAGED : CONTINUES;
    }
    const rowEnd = at + <usize> bytes;
    let sum = occurrencesInBody(at, bytes);
    let each = FIRST_COLUMN_WEIGHT;
    if (sum > 0) at = rowEnd;
    while (at < rowEnd) {
      byte = <u32> load<u8>(at++);
      if (byte == COLUMN_MARKER) {
        byte = <u32> load<u8>(at++);
        if (byte >= COLUMNS) return DAMAGED;
        each = (COLUMN_WEIGHTS >> (byte * 8)) & 255;
      } else {
        while (byte >= 128) byte = <u32> load<u8>(at++);
        sum += each;
      }
    }
    if (at != rowEnd) return DAMAGED;
    if ((size & 1) == 1 || sum == 0) continue;
    if (id >> 12 != block) {
      block = id >> 12;
      lengths = lengthsOf(id);
    }
    if (load<u16>(lengths + (<usize> id & 4095) * 2) == 0) continue;
    if (n == max) return DAMAGED;
    store<u32>(ids + <usize> n * 4, <u32> id);
    store<u8>(frequencies + n, min(sum, MAX_FREQUENCY));
    n++;
  }
  count = n;
  // A term follows on this page, so the doclist has ended. Otherwise it may continue on the next one.
  return end < pageEnd ? ENDED : CONTINUES;
}
