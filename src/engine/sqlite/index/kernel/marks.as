/** Marks chunks by numbers of 16 bits: those of several posting lists, and the candidates of a phrase. */
import { BLOCK_MASK, markOf } from "./chunks";
import { countOf, groupAfter, HEADER_BYTES } from "./packed";

/** Chunks with a mark. */
let marked: usize = 0;
let markedCount: u32 = 0;

/** @param address Address of a 32-bit id more than there are chunks. */
export function setMarks(address: usize): void {
  marked = address;
  markedCount = 0;
}

/** Marks the chunks of a packed posting list that the `step - 1` lists before contain, too. Returns their number. */
export function intersect(list: usize, count: u32, step: u32): u32 {
  let n: u32 = 0;
  for (let left = count; left > 0;) {
    const header = load<u32>(list);
    const first = header & ~BLOCK_MASK;
    const marks = markOf(first);
    const postings = countOf(header);
    left -= postings;
    const next = groupAfter(list);
    let at = list + HEADER_BYTES;
    const end = at + (<usize> postings << 1);
    for (; at < end; at += 2) {
      const index = <u32> load<u16>(at) & BLOCK_MASK;
      const mark = marks + (<usize> index << 1);
      if (load<u16>(mark) != step - 1) continue;
      store<u16>(mark, <u16> step);
      if (step == 1) store<u32>(marked + (<usize> n << 2), first | index);
      n++;
    }
    list = next;
  }
  if (step == 1) markedCount = n;
  return n;
}

/** Copies up to `max` of the chunks that `step` lists contain, and forgets the marks. Returns their number. */
export function takeIntersection(step: u32, out: usize, max: u32): u32 {
  let n: u32 = 0;
  for (let i: u32 = 0; i < markedCount && n < max; i++) {
    const id = load<u32>(marked + (<usize> i << 2));
    if (load<u16>(markOf(id)) != step) continue;
    store<u32>(out + (<usize> n << 2), id);
    n++;
  }
  forgetMarks();
  return n;
}

/** Marks chunks as the candidates 1, 2, … of a phrase, until {@link forgetMarks}. */
export function markCandidates(ids: usize, count: u32): void {
  for (let i: u32 = 0; i < count; i++) {
    const id = load<u32>(ids + (<usize> i << 2));
    store<u32>(marked + (<usize> i << 2), id);
    store<u16>(markOf(id), <u16> (i + 1));
  }
  markedCount = count;
}

/** Returns the number of a candidate; 0: the chunk is none. */
export function candidateOf(id: u64): u32 {
  return load<u16>(markOf(id));
}

/** Forgets all marks. */
export function forgetMarks(): void {
  for (let i: u32 = 0; i < markedCount; i++) store<u16>(markOf(load<u32>(marked + (<usize> i << 2))), 0);
  markedCount = 0;
}
