/**
 * Leaf pages of FTS5; fts5_format.ts describes the format.
 *
 * A page is only as intact as the disk. Offsets are checked before they are followed, and each loop either advances
 * through a page or ends: the caller puts zeros behind the pages, which end a varint.
 */

/** A page or doclist contradicts the format. */
export const DAMAGED: i32 = -1;

/** No value of an intact page is as large. */
export const MAX_VALUE: u64 = 1 << 49;

const HEADER_BYTES: u32 = 4;

/** Address after the varint that {@link varint} read last. */
export let cursor: usize = 0;

/** Reads a varint, of nine bytes at most; larger ones than {@link MAX_VALUE} become it. */
export function varint(at: usize): u64 {
  let byte = <u32> load<u8>(at++);
  let value = <u64> (byte & 127);
  for (let n = 1; byte >= 128 && n < 9; n++) {
    byte = <u32> load<u8>(at++);
    value = min(n == 8 ? (value << 8) | byte : (value << 7) | (byte & 127), MAX_VALUE);
  }
  cursor = at;
  return value;
}

/** Returns the offset of the first rowid that precedes the first term of a page, or 0. */
// @ts-ignore: decorator
@inline
export function firstRowidOf(page: usize): u32 {
  return (<u32> load<u8>(page) << 8) | load<u8>(page, 1);
}

/** Returns the offset of the footer, which is the end of the content. */
// @ts-ignore: decorator
@inline
export function contentEnd(page: usize): u32 {
  return (<u32> load<u8>(page, 2) << 8) | load<u8>(page, 3);
}

/** Whether a page does not exist or has no content. */
export function isEmpty(page: usize, length: u32): bool {
  return length < HEADER_BYTES || contentEnd(page) == 0;
}

/** Whether the offsets in the header are possible in a page of this length. */
export function hasValidHeader(page: usize, length: u32): bool {
  if (length < HEADER_BYTES) return true;
  const end = contentEnd(page);
  const rowid = firstRowidOf(page);
  return end <= length && (end == 0 || end >= HEADER_BYTES) && (rowid == 0 || rowid >= HEADER_BYTES);
}

/** Offset of the term that {@link nextTerm} read last; 0 before the first. */
export let termOffset: u32 = 0;
let footer: usize = 0;
let footerEnd: usize = 0;

/** Starts to read the offsets of the terms on a page with a valid header. */
export function startTerms(page: usize, length: u32): void {
  termOffset = 0;
  footer = page + contentEnd(page);
  footerEnd = page + length;
}

/** Reads the offset of the next term. Returns 1, 0 after the last one, or {@link DAMAGED}. */
export function nextTerm(page: usize): i32 {
  if (footer >= footerEnd) return 0;
  const delta = varint(footer);
  footer = cursor;
  const end = <u64> contentEnd(page);
  if (footer > footerEnd || delta == 0 || delta >= end || termOffset + delta >= end || termOffset + delta < HEADER_BYTES) {
    return DAMAGED;
  }
  termOffset += <u32> delta;
  return 1;
}

/** Offsets of the doclist that {@link findDoclist} has found on its page. */
export let doclistStart: u32 = 0;
export let doclistEnd: u32 = 0;

/** Returns {@link doclistStart}. */
export function foundStart(): u32 {
  return doclistStart;
}

/** Returns {@link doclistEnd}. */
export function foundEnd(): u32 {
  return doclistEnd;
}

/** Finds the doclist of a term on a page. Returns 1, 0 if the page does not have it, or {@link DAMAGED}. */
export function findDoclist(page: usize, length: u32, key: usize, keyLength: u32): i32 {
  if (length == 0) return 0;
  if (isEmpty(page, length) || !hasValidHeader(page, length)) return DAMAGED;
  const end = contentEnd(page);
  const footerLimit = page + length;
  let offsets = page + end;
  let offset: u32 = 0;
  let start: u32 = 0;
  /** Length of the prefix that the previous term shares with the key. */
  let matched: u32 = 0;
  let isFirst = true;
  // Varints of one byte, which nearly all are, are decoded inline: a search reads thousands of terms.
  while (offsets < footerLimit) {
    let delta = <u64> load<u8>(offsets++);
    if (delta >= 128) {
      delta = varint(offsets - 1);
      offsets = cursor;
    }
    if (offsets > footerLimit || delta == 0 || delta >= end || offset + delta >= end || offset + delta < HEADER_BYTES) {
      return DAMAGED;
    }
    offset += <u32> delta;
    if (start != 0) return foundDoclist(start, offset);
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
    // Terms ascend: a term that shares less with the previous one than that shares with the key sorts after the key.
    if (shared < matched) return 0;
    if (shared > matched) continue;
    let suffix = <u64> load<u8>(at++);
    if (suffix >= 128) {
      suffix = varint(at - 1);
      at = cursor;
    }
    const rest = at - matched;
    const common = <u32> min(shared + suffix, keyLength);
    while (matched < common && load<u8>(rest + matched) == load<u8>(key + matched)) matched++;
    if (matched == keyLength && shared + suffix == keyLength) start = <u32> (at + <usize> suffix - page);
  }
  return start == 0 ? 0 : foundDoclist(start, end);
}

function foundDoclist(start: u32, end: u32): i32 {
  doclistStart = start;
  doclistEnd = end;
  return start > end ? DAMAGED : 1;
}
