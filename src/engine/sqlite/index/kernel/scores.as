/**
 * Sums BM25 scores of posting lists, one block of chunks after the other, so that the scores stay in the processor's
 * cache: chunks of a list are far from each other, and reading their scores from memory would take most of the time.
 */
import { BLOCK_BITS, BLOCK_MASK, lengthsOn } from "./chunks";
import { countOf, groupAfter, HEADER_BYTES, LARGE_FREQUENCY } from "./packed";

/** Term frequency saturation plus 1: `K1 + 1` of bm25.ts. */
const MAX_SCORE: f64 = 2.2;

// A posting list to add, which score_accumulator.ts writes: address of the next group (32 bits), number of postings that
// follow (32), weight (64), and kind (32).
const LEFT: usize = 4;
const WEIGHT: usize = 8;
const KIND: usize = 16;
const LIST_BYTES: usize = 24;

/** The scores are added. */
const ADD: u32 = 0;
/** The best score of several alternatives is added. This is one of them, but not the last. */
const ALTERNATIVE: u32 = 1;

/** No list has a further block. */
const NONE: u32 = u32.MAX_VALUE;

// The scores of a block: 64-bit scores, 32-bit sums of weights, 64-bit scores of the best alternative, a byte per
// chunk with a score, and 16-bit ids of those with an alternative.
const MATCHED: usize = 32768;
const BEST: usize = 49152;
const HITS: usize = 81920;
const HITS_END: usize = 86016;
const FOUND: usize = 86016;

/** Byte of a chunk with a score, whose highest bit is set. */
const HIT: u8 = 0x80;

/** Address of the length norms, `K1 * (1 - B + B * length / averageLength)`, by the length in words. */
let norms: usize = 0;
/** Address of the scores of a block, which are 0 between calls. */
let scores: usize = 0;
/** Number of chunks of the block with an alternative. */
let foundCount: usize = 0;

/** @param block Address of the scores of a block. */
export function setScores(normsAt: usize, block: usize): void {
  norms = normsAt;
  scores = block;
}

/**
 * Adds posting lists in their order, and writes the chunks with a score in the order of their ids. Returns their number.
 *
 * @param ids Address of 32-bit ids.
 * @param scoresOut Address of 64-bit scores.
 * @param weights Address of the sum of the weights of each chunk's lists, in 32 bits.
 */
export function addLists(lists: usize, count: u32, ids: usize, scoresOut: usize, weights: usize): u32 {
  const end = lists + <usize> count * LIST_BYTES;
  let hits: u32 = 0;
  let block = firstBlock(lists, end);
  while (block != NONE) {
    const lengths = lengthsOn(block);
    let following = NONE;
    for (let list = lists; list < end; list += LIST_BYTES) {
      const kind = load<u32>(list, KIND);
      if (nextBlock(list) == block) {
        const group = <usize> load<u32>(list);
        const weight = load<f64>(list, WEIGHT);
        if (kind == ADD) addGroup(group, lengths, weight);
        else if (kind == ALTERNATIVE) raiseGroup(group, lengths, weight);
        else addBestOfGroup(group, lengths, weight);
        advance(list, group);
      }
      if (kind > ALTERNATIVE && foundCount > 0) addFound(load<f64>(list, WEIGHT));
      following = min(following, nextBlock(list));
    }
    hits = takeHits(block, hits, ids, scoresOut, weights);
    block = following;
  }
  return hits;
}

/** Returns the block of the next group of a list. */
// @ts-ignore: decorator
@inline
function nextBlock(list: usize): u32 {
  return load<u32>(list, LEFT) == 0 ? NONE : load<u32>(<usize> load<u32>(list)) >> BLOCK_BITS;
}

function firstBlock(lists: usize, end: usize): u32 {
  let block = NONE;
  for (let list = lists; list < end; list += LIST_BYTES) block = min(block, nextBlock(list));
  return block;
}

// @ts-ignore: decorator
@inline
function advance(list: usize, group: usize): void {
  store<u32>(list, <u32> groupAfter(group));
  store<u32>(list, load<u32>(list, LEFT) - countOf(load<u32>(group)), LEFT);
}

/** Returns the saturated term frequency. */
// @ts-ignore: decorator
@inline
function termFrequencyScore(lengths: usize, index: usize, frequency: u32): f64 {
  const norm = load<f64>(norms + (<usize> load<u16>(lengths + (index << 1)) << 3));
  return (<f64> frequency * MAX_SCORE) / (<f64> frequency + norm);
}

/** Adds to the score of a chunk. */
// @ts-ignore: decorator
@inline
function addScore(index: usize, added: f64, weight: f64): void {
  const score = scores + (index << 3);
  store<f64>(score, load<f64>(score) + added);
  const matched = scores + (index << 2);
  store<f32>(matched, <f32> (<f64> load<f32>(matched, MATCHED) + weight), MATCHED);
  store<u8>(scores + index, HIT, HITS);
}

/** Adds `weight` times the saturated term frequency to the scores of the chunks of a group. */
function addGroup(group: usize, lengths: usize, weight: f64): void {
  let at = group + HEADER_BYTES;
  const end = at + (<usize> countOf(load<u32>(group)) << 1);
  let large = end;
  for (; at < end; at += 2) {
    const entry = <u32> load<u16>(at);
    let frequency = entry >> BLOCK_BITS;
    if (frequency == LARGE_FREQUENCY) frequency = <u32> load<u8>(large++);
    const index = <usize> (entry & BLOCK_MASK);
    addScore(index, weight * termFrequencyScore(lengths, index, frequency), weight);
  }
}

/** Raises the score of the best alternative in the chunks of a group to `weight` times the saturated term frequency. */
function raiseGroup(group: usize, lengths: usize, weight: f64): void {
  let at = group + HEADER_BYTES;
  const end = at + (<usize> countOf(load<u32>(group)) << 1);
  let large = end;
  let n = foundCount;
  for (; at < end; at += 2) {
    const entry = <u32> load<u16>(at);
    let frequency = entry >> BLOCK_BITS;
    if (frequency == LARGE_FREQUENCY) frequency = <u32> load<u8>(large++);
    const index = <usize> (entry & BLOCK_MASK);
    const score = weight * termFrequencyScore(lengths, index, frequency);
    const address = scores + (index << 3);
    const best = load<f64>(address, BEST);
    store<u16>(scores + (n << 1), <u16> index, FOUND);
    n += usize(best == 0);
    store<f64>(address, max(best, score), BEST);
  }
  foundCount = n;
}

/**
 * Adds `weight` times the score of the best alternative to each chunk of a group, which is one of the alternatives, with
 * a weight of 1.
 */
function addBestOfGroup(group: usize, lengths: usize, weight: f64): void {
  let at = group + HEADER_BYTES;
  const end = at + (<usize> countOf(load<u32>(group)) << 1);
  let large = end;
  for (; at < end; at += 2) {
    const entry = <u32> load<u16>(at);
    let frequency = entry >> BLOCK_BITS;
    if (frequency == LARGE_FREQUENCY) frequency = <u32> load<u8>(large++);
    const index = <usize> (entry & BLOCK_MASK);
    const address = scores + (index << 3);
    const best = max(termFrequencyScore(lengths, index, frequency), load<f64>(address, BEST));
    store<f64>(address, 0, BEST);
    addScore(index, weight * best, weight);
  }
}

/** Adds `weight` times the score of the best alternative to the other chunks with one, and forgets the alternatives. */
function addFound(weight: f64): void {
  for (let i: usize = 0; i < foundCount; i++) {
    const index = <usize> load<u16>(scores + (i << 1), FOUND);
    const address = scores + (index << 3);
    const best = load<f64>(address, BEST);
    if (best == 0) continue;
    store<f64>(address, 0, BEST);
    addScore(index, weight * best, weight);
  }
  foundCount = 0;
}

/** Writes the chunks of a block with a score after `count` others, and resets the scores. Returns the number of all. */
function takeHits(block: u32, count: u32, ids: usize, scoresOut: usize, weights: usize): u32 {
  const first = block << BLOCK_BITS;
  let n = <usize> count;
  for (let at = HITS; at < HITS_END; at += 64) {
    let bits = takeBits(scores + at);
    const start = at - HITS;
    for (; bits != 0; bits &= bits - 1) {
      const index = start + <usize> ctz(bits);
      const score = scores + (index << 3);
      const matched = scores + (index << 2);
      store<u32>(ids + (n << 2), first | <u32> index);
      store<f64>(scoresOut + (n << 3), load<f64>(score));
      store<f32>(weights + (n << 2), load<f32>(matched, MATCHED));
      store<f64>(score, 0);
      store<f32>(matched, 0, MATCHED);
      n++;
    }
  }
  return <u32> n;
}

/** Returns the number of chunks that one of the lists contains, but not the first list. */
export function countMissing(lists: usize, count: u32): u32 {
  const others = lists + LIST_BYTES;
  const end = lists + <usize> count * LIST_BYTES;
  let missing: u32 = 0;
  for (let block = firstBlock(others, end); block != NONE; block = firstBlock(others, end)) {
    for (let list = others; list < end; list += LIST_BYTES) {
      if (nextBlock(list) != block) continue;
      const group = <usize> load<u32>(list);
      setHits(group, true);
      advance(list, group);
    }
    while (nextBlock(lists) < block) advance(lists, <usize> load<u32>(lists));
    if (nextBlock(lists) == block) setHits(<usize> load<u32>(lists), false);
    for (let at = HITS; at < HITS_END; at += 64) missing += <u32> popcnt(takeBits(scores + at));
  }
  return missing;
}

/** Returns the highest bits of 64 bytes, which become 0. */
// @ts-ignore: decorator
@inline
function takeBits(at: usize): u64 {
  const first = v128.load(at);
  const second = v128.load(at, 16);
  const third = v128.load(at, 32);
  const fourth = v128.load(at, 48);
  if (!v128.any_true(v128.or(v128.or(first, second), v128.or(third, fourth)))) return 0;
  const zeros = i8x16.splat(0);
  v128.store(at, zeros);
  v128.store(at, zeros, 16);
  v128.store(at, zeros, 32);
  v128.store(at, zeros, 48);
  const low = <u32> i8x16.bitmask(first) | (<u32> i8x16.bitmask(second) << 16);
  const high = <u32> i8x16.bitmask(third) | (<u32> i8x16.bitmask(fourth) << 16);
  return <u64> low | (<u64> high << 32);
}

/** Sets or clears the bytes of the chunks of a group. */
function setHits(group: usize, isHit: bool): void {
  let at = group + HEADER_BYTES;
  const end = at + (<usize> countOf(load<u32>(group)) << 1);
  for (; at < end; at += 2) {
    const index = <u32> load<u16>(at) & BLOCK_MASK;
    store<u8>(scores + <usize> index, isHit ? HIT : 0, HITS);
  }
}
