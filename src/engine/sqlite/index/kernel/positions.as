/** Finds the chunks that contain words in sequence, by the positions of the words. */
import { contentEnd, cursor, DAMAGED, firstRowidOf, hasValidHeader, isEmpty, MAX_VALUE, varint } from "./leaf_page";
import { candidateOf } from "./marks";

const ENDED: i32 = 0;
const CONTINUES: i32 = 1;

const HEADER_BYTES: usize = 4;
const COLUMN_MARKER: u32 = 1;
const COLUMNS: u32 = 3;
const COLUMN_BITS: u32 = 30;
const MAX_POSITION: u64 = 1 << 30;
/** Weights of the title (3), a heading (2) and the body (1), in the bytes of an integer. */
const COLUMN_WEIGHTS: u32 = 0x010203;

/** Entry of each candidate: index of its first start, number of starts, and number of words that it contains. */
let candidates: usize = 0;
/** Where the phrase may start: column and position, of each candidate in order. */
let starts: usize = 0;
let startCount: u32 = 0;
let maxStarts: u32 = 0;

/** Offset of the current word in the phrase, and number of words before it that have been read. */
let wordOffset: u32 = 0;
let round: u32 = 0;
/** Number of candidates that contain all words so far in sequence. */
let matchCount: u32 = 0;

// The current row.
let entry: usize = 0;
let readAt: usize = 0;
let readEnd: usize = 0;
let writeAt: usize = 0;
let column: u32 = 0;
let position: u64 = 0;
let isColumnNext = false;
let rowid: u64 = 0;
/** Bytes of its position list that follow. */
let remaining: u64 = 0;

/**
 * Starts a phrase. The candidates have been marked.
 *
 * @param table Address of 12 bytes per candidate.
 * @param startsAt Address of 4 bytes per start.
 * @param max Maximum number of starts.
 */
export function startPhrase(table: usize, count: u32, startsAt: usize, max: u32): void {
  candidates = table;
  starts = startsAt;
  maxStarts = max;
  startCount = 0;
  round = 0;
  memory.fill(table, 0, <usize> count * 12);
}

/** Starts the next word, in any order. */
export function startWord(offset: u32): void {
  wordOffset = offset;
  round++;
  matchCount = 0;
}

/** Returns the number of candidates that contain the words that were read in sequence. */
export function phraseMatches(): u32 {
  return matchCount;
}

/** Whether there were more starts than the maximum. */
export function hasTooManyStarts(): bool {
  return startCount > maxStarts;
}

/** Reads the doclist of the word on the page where it starts. Returns the same as `readFirst` of doclist.as. */
export function readFirstPositions(page: usize, start: u32, end: u32): i32 {
  rowid = 0;
  remaining = 0;
  return readRows(page, page + start, page + end);
}

/** Reads the doclist on the next page. */
export function readNextPositions(page: usize, length: u32): i32 {
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
    // The first rowid of a page is absolute.
    rowid = 0;
    return readRows(page, at, page + end);
  }
  const first = firstRowidOf(page);
  if (first == 0) return end < pageEnd ? ENDED : CONTINUES;
  rowid = 0;
  return readRows(page, page + first, page + end);
}

/** Reads rows up to an address. */
function readRows(page: usize, at: usize, end: usize): i32 {
  const pageEnd = page + contentEnd(page);
  while (at < end) {
    let delta = <u64> load<u8>(at++);
    if (delta >= 128) {
      delta = varint(at - 1);
      at = cursor;
    }
    let size = <u64> load<u8>(at++);
    if (size >= 128) {
      size = varint(at - 1);
      at = cursor;
    }
    if (at > pageEnd || delta >= MAX_VALUE || size >= MAX_VALUE) return DAMAGED;
    rowid += delta;
    remaining = size >> 1;
    startRow((size & 1) == 1 ? 0 : candidateOf(rowid));
    if (remaining > <u64> (pageEnd - at)) return readPositions(at, pageEnd) == 0 ? DAMAGED : CONTINUES;
    at = readPositions(at, pageEnd);
    if (at == 0) return DAMAGED;
  }
  return end < pageEnd ? ENDED : CONTINUES;
}

/** Starts a row of a candidate by its number; 0: none. */
function startRow(candidate: u32): void {
  column = 0;
  position = 0;
  isColumnNext = false;
  entry = 0;
  if (candidate == 0) return;
  const at = candidates + <usize> (candidate - 1) * 12;
  // One of the words before is missing.
  if (load<u32>(at, 8) != round - 1) return;
  entry = at;
  if (round == 1) store<u32>(entry, startCount);
  readAt = starts + (<usize> load<u32>(entry) << 2);
  readEnd = readAt + (<usize> load<u32>(entry, 4) << 2);
  writeAt = readAt;
}

function endRow(): void {
  if (entry == 0) return;
  const count = round == 1 ? startCount - load<u32>(entry) : <u32> ((writeAt - starts) >> 2) - load<u32>(entry);
  store<u32>(entry, count, 4);
  store<u32>(entry, round, 8);
  matchCount += u32(count > 0);
}

/** Reads a row's positions as far as they are on the page. Returns the address after them, or 0 if they are damaged. */
function readPositions(at: usize, pageEnd: usize): usize {
  const end = remaining < <u64> (pageEnd - at) ? at + <usize> remaining : pageEnd;
  if (end < at) return 0;
  remaining -= end - at;
  if (entry == 0) return end;
  while (at < end) {
    let value = <u64> load<u8>(at++);
    if (isColumnNext) {
      if (value >= COLUMNS) return 0;
      column = <u32> value;
      position = 0;
      isColumnNext = false;
    } else if (value == COLUMN_MARKER) isColumnNext = true;
    else {
      if (value >= 128) {
        value = varint(at - 1);
        at = cursor;
      }
      position += value - 2;
      if (position >= wordOffset && position < MAX_POSITION) addStart((column << COLUMN_BITS) | <u32> (position - wordOffset));
    }
  }
  if (at != end || (remaining == 0 && isColumnNext)) return 0;
  if (remaining == 0) endRow();
  return at;
}

function addStart(start: u32): void {
  if (round == 1) {
    if (startCount < maxStarts) store<u32>(starts + (<usize> startCount << 2), start);
    // One more than the maximum tells that there are too many.
    if (startCount <= maxStarts) startCount++;
    return;
  }
  while (readAt < readEnd && load<u32>(readAt) < start) readAt += 4;
  if (readAt == readEnd || load<u32>(readAt) != start) return;
  store<u32>(writeAt, start);
  writeAt += 4;
  readAt += 4;
}

/**
 * Writes the candidates with the phrase, in 32 bits, and the weight of the most important column of each, in 8 bits.
 * Returns their number.
 *
 * @param ids Address of the ids of the candidates.
 */
export function takePhrase(count: u32, ids: usize, idsOut: usize, weightsOut: usize): u32 {
  let n: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const at = candidates + <usize> i * 12;
    if (load<u32>(at, 8) != round || load<u32>(at, 4) == 0) continue;
    const first = load<u32>(starts + (<usize> load<u32>(at) << 2));
    store<u32>(idsOut + (<usize> n << 2), load<u32>(ids + (<usize> i << 2)));
    store<u8>(weightsOut + n, (COLUMN_WEIGHTS >> ((first >> COLUMN_BITS) * 8)) & 255);
    n++;
  }
  return n;
}
