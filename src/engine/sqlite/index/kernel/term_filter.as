/**
 * Bloom filters of the terms on a page (Bloom, "Space/time trade-offs in hash coding with allowable errors", 1970): a
 * query has dozens of derived terms, and a misspelled word hundreds of corrections, of which few exist. A page of a small
 * index has one in front of it; a large index has a short one per page, which remains when the page is overwritten.
 */
import { contentEnd, cursor, hasValidHeader, isEmpty, nextTerm, startTerms, termOffset, varint } from "./leaf_page";

/** Size of a filter: two of 8,192 bits per term, and per prefix. term_pages.ts knows it. */
const FILTER_BYTES: usize = 1024;
const BIT_MASK: u32 = 8191;
/** Size of a short filter: two of 1,024 bits per term. term_pages.ts knows it. */
export const SHORT_FILTER_BYTES: usize = 128;
const SHORT_BIT_MASK: u32 = 1023;
/** Lengths of the prefixes in a filter, from that of the shortest part of a compound on. */
const SHORT_PREFIX: u32 = 13;
const MEDIUM_PREFIX: u32 = 16;
const LONG_PREFIX: u32 = 20;
/** Tells prefixes from terms. */
const PREFIX_SALT: u32 = 0x9e3779b9;
/** A page with a longer term has no filter. */
const MAX_TERM_BYTES: u64 = 4096;

/** Returns the hash of a term: FNV-1a, mixed so that its halves are independent. */
export function hashOf(key: usize, length: u32): u32 {
  let state = INITIAL;
  for (let i: u32 = 0; i < length; i++) state = next(state, key + i);
  return mix(state);
}

/** Returns the hash of the longest prefix of a key that filters contain; 0: none. */
export function prefixHashOf(key: usize, length: u32): u32 {
  if (length < SHORT_PREFIX) return 0;
  const known = length >= LONG_PREFIX ? LONG_PREFIX : length >= MEDIUM_PREFIX ? MEDIUM_PREFIX : SHORT_PREFIX;
  let state = INITIAL;
  for (let i: u32 = 0; i < known; i++) state = next(state, key + i);
  return max(1, mix(state ^ PREFIX_SALT));
}

const INITIAL: u32 = 0x811c9dc5;

// @ts-ignore: decorator
@inline
function next(state: u32, at: usize): u32 {
  return (state ^ <u32> load<u8>(at)) * 0x01000193;
}

// @ts-ignore: decorator
@inline
function mix(state: u32): u32 {
  const mixed = (state ^ (state >> 15)) * 0x2c1b3c6d;
  return mixed ^ (mixed >> 12);
}

/** Whether a term, or one with a prefix, may be on the page of a filter, by its hash. */
// @ts-ignore: decorator
@inline
export function mayContain(filter: usize, hash: u32): bool {
  return hasBit(filter, hash & BIT_MASK) && hasBit(filter, (hash >> 16) & BIT_MASK);
}

/** Whether a short filter has been filled, and rules out that a term is on its page. */
// @ts-ignore: decorator
@inline
export function isRuledOut(filter: usize, hash: u32): bool {
  return hasBit(filter, 0) && !(hasBit(filter, hash & SHORT_BIT_MASK) && hasBit(filter, (hash >> 16) & SHORT_BIT_MASK));
}

// @ts-ignore: decorator
@inline
function hasBit(filter: usize, bit: u32): bool {
  return ((<u32> load<u8>(filter + (bit >> 3)) >> (bit & 7)) & 1) == 1;
}

// @ts-ignore: decorator
@inline
function setBit(filter: usize, bit: u32): void {
  const at = filter + (bit >> 3);
  store<u8>(at, <u32> load<u8>(at) | (1 << (bit & 7)));
}

// @ts-ignore: decorator
@inline
function add(filter: usize, hash: u32, mask: u32): void {
  setBit(filter, hash & mask);
  setBit(filter, (hash >> 16) & mask);
}

/**
 * Writes the filter of a page. That of a damaged page contains all terms, so that a search for one finds the damage.
 *
 * @param states Address of 16 KiB for the hash of each prefix of a term.
 */
export function fillFilter(filter: usize, page: usize, length: u32, states: usize): void {
  memory.fill(filter, 0, FILTER_BYTES);
  if (length > 0 && !addTerms(filter, page, length, states, BIT_MASK)) memory.fill(filter, 255, FILTER_BYTES);
}

/** Writes the short filter of a page, without prefixes. Its first bit tells that it has been filled. */
export function fillShortFilter(filter: usize, page: usize, length: u32, states: usize): void {
  memory.fill(filter, 0, SHORT_FILTER_BYTES);
  setBit(filter, 0);
  if (!addTerms(filter, page, length, states, SHORT_BIT_MASK)) memory.fill(filter, 255, SHORT_FILTER_BYTES);
}

/** Adds all terms, with prefixes to a long filter. Returns whether the page is intact. */
function addTerms(filter: usize, page: usize, length: u32, states: usize, mask: u32): bool {
  if (isEmpty(page, length) || !hasValidHeader(page, length)) return false;
  const contentLimit = page + contentEnd(page);
  let termLength: u64 = 0;
  let isFirst = true;
  startTerms(page, length);
  let state = nextTerm(page);
  for (; state == 1; state = nextTerm(page)) {
    cursor = page + termOffset;
    const shared = isFirst ? 0 : varint(cursor);
    const suffix = varint(cursor);
    isFirst = false;
    if (shared > termLength || shared + suffix >= MAX_TERM_BYTES || cursor + <usize> suffix > contentLimit) return false;
    termLength = shared + suffix;
    const bytes = cursor - <usize> shared;
    let hash = shared == 0 ? INITIAL : load<u32>(states + (<usize> shared << 2));
    for (let i = <usize> shared; i < <usize> termLength; i++) {
      hash = next(hash, bytes + i);
      store<u32>(states + (i << 2), hash, 4);
      const end = <u32> i + 1;
      if (mask == BIT_MASK && (end == SHORT_PREFIX || end == MEDIUM_PREFIX || end == LONG_PREFIX)) {
        add(filter, max(1, mix(hash ^ PREFIX_SALT)), mask);
      }
    }
    add(filter, mix(hash), mask);
  }
  return state == 0;
}
