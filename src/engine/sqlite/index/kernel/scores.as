/** Sums BM25 scores term by term, in a slot per chunk. */
import { BEST, BLOCK_BITS, HAS_ALTERNATIVE, indexOf, LENGTH, lengthsOf, MATCHED, slotOf } from "./chunks";

/** Term frequency saturation plus 1: `K1 + 1` of bm25.ts. */
const MAX_SCORE: f64 = 2.2;
/** A look-up in a sorted posting list takes as long as reading as many slots. */
const MAX_PROBES: u64 = 8;

/** Address of the length norms, `K1 * (1 - B + B * length / averageLength)`, by the length in words. */
let norms: usize = 0;
/** Chunks with a score. */
let hits: usize = 0;
let hitCount: u32 = 0;
/** Chunks with one of the alternatives. */
let found: usize = 0;
let foundCount: u32 = 0;

/** Both lists have room for one id more than there are chunks. */
export function setScores(normsAt: usize, hitsAt: usize, foundAt: usize): void {
  norms = normsAt;
  hits = hitsAt;
  found = foundAt;
  hitCount = 0;
  foundCount = 0;
}

/** Returns the number of chunks with a score. */
export function scoreCount(): u32 {
  return hitCount;
}

/** Returns the saturated term frequency in the chunk of a slot. */
// @ts-ignore: decorator
@inline
function termFrequencyScore(slot: usize, frequency: f64): f64 {
  const norm = load<f64>(norms + (<usize> load<u16>(slot, LENGTH) << 3));
  return (frequency * MAX_SCORE) / (frequency + norm);
}

/** Adds to the score of a chunk. Returns 1 if it had none, else 0. */
// @ts-ignore: decorator
@inline
function addScore(slot: usize, added: f64, weight: f64): u32 {
  const score = load<f64>(slot);
  store<f64>(slot, score + added);
  store<f32>(slot, <f32> (<f64> load<f32>(slot, MATCHED) + weight), MATCHED);
  return u32(score == 0);
}

/** Adds `weight` times the saturated term frequency to the scores of the chunks of a posting list. */
export function addScores(ids: usize, frequencies: usize, count: u32, weight: f64): void {
  let block: u32 = u32.MAX_VALUE;
  let chunks: usize = 0;
  let n = hitCount;
  for (let i: u32 = 0; i < count; i++) {
    const id = load<u32>(ids + (<usize> i << 2));
    if (id >> BLOCK_BITS != block) {
      block = id >> BLOCK_BITS;
      chunks = lengthsOf(id);
    }
    const slot = slotOf(chunks, id);
    const added = weight * termFrequencyScore(slot, <f64> load<u8>(frequencies + i));
    store<u32>(hits + (<usize> n << 2), id);
    n += addScore(slot, added, weight);
  }
  hitCount = n;
}

/**
 * Raises the score of the best alternative in the chunks of a posting list to `weight` times the saturated term
 * frequency. Returns the number of chunks with an alternative so far.
 */
export function raiseBest(ids: usize, frequencies: usize, count: u32, weight: f64): u32 {
  let n = foundCount;
  for (let i: u32 = 0; i < count; i++) {
    const id = load<u32>(ids + (<usize> i << 2));
    const chunks = lengthsOf(id);
    const slot = slotOf(chunks, id);
    const score = weight * termFrequencyScore(slot, <f64> load<u8>(frequencies + i));
    const best = chunks + (indexOf(id) << 3);
    store<u32>(found + (<usize> n << 2), id);
    n += u32(load<u16>(slot, HAS_ALTERNATIVE) == 0);
    store<u16>(slot, 1, HAS_ALTERNATIVE);
    store<f64>(best, max(load<f64>(best, BEST), score), BEST);
  }
  foundCount = n;
  return n;
}

/** Returns the number of chunks of a posting list that have an alternative. */
export function countAlternatives(ids: usize, count: u32): u32 {
  let n: u32 = 0;
  if (<u64> foundCount * MAX_PROBES > count || !isAscending(ids, count)) {
    for (let i: u32 = 0; i < count; i++) {
      const id = load<u32>(ids + (<usize> i << 2));
      n += u32(load<u16>(slotOf(lengthsOf(id), id), HAS_ALTERNATIVE));
    }
    return n;
  }
  for (let i: u32 = 0; i < foundCount; i++) n += u32(includes(ids, count, load<u32>(found + (<usize> i << 2))));
  return n;
}

function isAscending(ids: usize, count: u32): bool {
  for (let i: u32 = 1; i < count; i++) {
    if (load<u32>(ids + (<usize> i << 2)) <= load<u32>(ids + (<usize> (i - 1) << 2))) return false;
  }
  return true;
}

/** Whether an ascending list contains an id. */
function includes(ids: usize, count: u32, id: u32): bool {
  let low: u32 = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (load<u32>(ids + (<usize> middle << 2)) < id) low = middle + 1;
    else high = middle;
  }
  return low < count && load<u32>(ids + (<usize> low << 2)) == id;
}

/**
 * Adds `weight` times the score of the best alternative to each chunk with one, and forgets the alternatives. The posting
 * list is one of them, with a weight of 1: nearly all chunks are in it, so that their best scores are not stored.
 */
export function addBest(ids: usize, frequencies: usize, count: u32, weight: f64): void {
  let n = hitCount;
  for (let i: u32 = 0; i < count; i++) {
    const id = load<u32>(ids + (<usize> i << 2));
    const chunks = lengthsOf(id);
    const slot = slotOf(chunks, id);
    let best = termFrequencyScore(slot, <f64> load<u8>(frequencies + i));
    if (load<u16>(slot, HAS_ALTERNATIVE) != 0) {
      best = max(best, load<f64>(chunks + (indexOf(id) << 3), BEST));
      store<u16>(slot, 0, HAS_ALTERNATIVE);
    }
    store<u32>(hits + (<usize> n << 2), id);
    n += addScore(slot, weight * best, weight);
  }
  for (let i: u32 = 0; i < foundCount; i++) {
    const id = load<u32>(found + (<usize> i << 2));
    const chunks = lengthsOf(id);
    const slot = slotOf(chunks, id);
    const at = chunks + (indexOf(id) << 3);
    const best = load<f64>(at, BEST);
    store<f64>(at, 0, BEST);
    // A chunk of the posting list is done.
    if (load<u16>(slot, HAS_ALTERNATIVE) == 0) continue;
    store<u16>(slot, 0, HAS_ALTERNATIVE);
    store<u32>(hits + (<usize> n << 2), id);
    n += addScore(slot, weight * best, weight);
  }
  hitCount = n;
  foundCount = 0;
}

/** Copies the hits from `start` to `end` and resets them. */
export function takeScores(start: u32, end: u32, ids: usize, scores: usize, weights: usize): void {
  for (let i = start; i < end; i++) {
    const id = load<u32>(hits + (<usize> i << 2));
    const slot = slotOf(lengthsOf(id), id);
    store<u32>(ids, id);
    store<f64>(scores, load<f64>(slot));
    store<f32>(weights, load<f32>(slot, MATCHED));
    store<f64>(slot, 0);
    store<f32>(slot, 0, MATCHED);
    ids += 4;
    scores += 8;
    weights += 4;
  }
}

/** Forgets the hits, after {@link takeScores} has taken all. */
export function forgetHits(): void {
  hitCount = 0;
}

/** Resets what an interrupted search has left. */
export function resetScores(): void {
  for (let i: u32 = 0; i < hitCount; i++) {
    const id = load<u32>(hits + (<usize> i << 2));
    const slot = slotOf(lengthsOf(id), id);
    store<f64>(slot, 0);
    store<f32>(slot, 0, MATCHED);
  }
  hitCount = 0;
  for (let i: u32 = 0; i < foundCount; i++) {
    const id = load<u32>(found + (<usize> i << 2));
    store<u16>(slotOf(lengthsOf(id), id), 0, HAS_ALTERNATIVE);
  }
  resetFound();
}

/** Forgets the alternatives, or the marks. */
function resetFound(): void {
  for (let i: u32 = 0; i < foundCount; i++) {
    const id = load<u32>(found + (<usize> i << 2));
    store<f64>(lengthsOf(id) + (indexOf(id) << 3), 0, BEST);
  }
  foundCount = 0;
}

/** Marks the chunks of a posting list that the `step - 1` lists before contain, too. Returns their number. */
export function intersect(ids: usize, count: u32, step: u32): u32 {
  let n: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const id = load<u32>(ids + (<usize> i << 2));
    const slot = lengthsOf(id) + (indexOf(id) << 3);
    if (load<f64>(slot, BEST) != <f64> (step - 1)) continue;
    store<f64>(slot, <f64> step, BEST);
    if (step == 1) store<u32>(found + (<usize> n << 2), id);
    n++;
  }
  if (step == 1) foundCount = n;
  return n;
}

/** Copies up to `max` of the chunks that `step` lists contain, and forgets the marks. Returns their number. */
export function takeIntersection(step: u32, out: usize, max: u32): u32 {
  let n: u32 = 0;
  for (let i: u32 = 0; i < foundCount && n < max; i++) {
    const id = load<u32>(found + (<usize> i << 2));
    if (load<f64>(lengthsOf(id) + (indexOf(id) << 3), BEST) != <f64> step) continue;
    store<u32>(out + (<usize> n << 2), id);
    n++;
  }
  resetFound();
  return n;
}

/** Marks chunks as the candidates 1, 2, … of a phrase, until {@link forgetCandidates}. */
export function markCandidates(ids: usize, count: u32): void {
  for (let i: u32 = 0; i < count; i++) {
    const id = load<u32>(ids + (<usize> i << 2));
    store<u32>(found + (<usize> i << 2), id);
    store<f64>(lengthsOf(id) + (indexOf(id) << 3), <f64> (i + 1), BEST);
  }
  foundCount = count;
}

/** Returns the number of a candidate; 0: the chunk is none. */
export function candidateOf(id: u64): u32 {
  return <u32> load<f64>(lengthsOf(id) + (indexOf(<u32> id) << 3), BEST);
}

/** Forgets the candidates. */
export function forgetCandidates(): void {
  resetFound();
}
