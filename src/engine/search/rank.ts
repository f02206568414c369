import type { Postings, PostingsReader } from "./postings.ts";
import type { Unit } from "./query.ts";
import { stems } from "./stem.ts";

/**
 * Entries of the index that one query may read (about 50 ms). The rarest words are read first; a word that would go beyond
 * is left out, and being the most common one it has the least to say.
 */
const MAX_PLACES = 250_000;

/**
 * Every chunk that has any of the units, with its score: the sum over units, as BM25 has it.
 */
export function rank(units: readonly Unit[], reader: PostingsReader): Postings {
  const words: { stem: string; weight: number; places: number }[] = [];
  let ranked: Postings | undefined;
  const add = (postings: Postings, weight: number) => {
    ranked = ranked ? merge(ranked, postings, weight) : scaled(postings, weight);
  };
  const known = stems(units.flatMap((unit) => unit.words));
  let at = 0;
  const byStem = new Map<string, number>();
  for (const unit of units) {
    const own = known.slice(at, at += unit.words.length).flat();
    if (own.length > 1) add(reader.phrase(unit.words), unit.weight);
    else if (own[0] !== undefined) byStem.set(own[0], (byStem.get(own[0]) ?? 0) + unit.weight);
  }
  for (const [stem, weight] of byStem) words.push({ stem, weight, places: reader.occurrences(stem) });
  words.sort((a, b) => a.places - b.places || (a.stem < b.stem ? -1 : 1));
  let places = 0;
  for (const word of words) {
    places += word.places;
    if (places > MAX_PLACES && ranked) break;
    if (word.places > 0) add(reader.word(word.stem), word.weight);
  }
  return ranked ?? { ids: new Uint32Array(), scores: new Float64Array() };
}

function scaled({ ids, scores }: Postings, weight: number): Postings {
  return weight === 1 ? { ids, scores } : { ids, scores: scores.map((score) => score * weight) };
}

/** The union of two lists, scores added. */
function merge(a: Postings, b: Postings, weightOfB: number): Postings {
  const ids = new Uint32Array(a.ids.length + b.ids.length);
  const scores = new Float64Array(ids.length);
  let count = 0;
  for (let i = 0, j = 0; i < a.ids.length || j < b.ids.length; count++) {
    const idA = a.ids[i] ?? Infinity;
    const idB = b.ids[j] ?? Infinity;
    let score = 0;
    if (idA <= idB) score += a.scores[i++] ?? 0;
    if (idB <= idA) score += (b.scores[j++] ?? 0) * weightOfB;
    ids[count] = Math.min(idA, idB);
    scores[count] = score;
  }
  return { ids: ids.subarray(0, count), scores: scores.subarray(0, count) };
}

/** A chunk and its score. */
export interface Scored {
  readonly id: number;
  readonly score: number;
}

/**
 * The `count` best, best first; of equal ones the one with the smaller id.
 *
 * @param keep Says which chunks may be among them. Unset: all.
 */
export function best({ ids, scores }: Postings, count: number, keep?: ReadonlySet<number>): Scored[] {
  // A heap with the worst of the best on top: most chunks are compared with that one and forgotten.
  const heap: Scored[] = [];
  for (let i = 0; i < ids.length; i++) {
    const id = ids[i] ?? 0;
    const score = scores[i] ?? 0;
    const worst = heap[0];
    if (heap.length >= count && worst && (score < worst.score || (score === worst.score && id > worst.id))) {
      continue;
    }
    if (keep && !keep.has(id)) continue;
    if (heap.length < count) {
      heap.push({ id, score });
      siftUp(heap);
    } else {
      heap[0] = { id, score };
      siftDown(heap);
    }
  }
  return heap.sort((a, b) => b.score - a.score || a.id - b.id);
}

function worse(a: Scored | undefined, b: Scored | undefined): boolean {
  if (!a || !b) return false;
  return a.score < b.score || (a.score === b.score && a.id > b.id);
}

function swap(heap: Scored[], i: number, j: number): void {
  [heap[i], heap[j]] = [heap[j] as Scored, heap[i] as Scored];
}

function siftUp(heap: Scored[]): void {
  for (let i = heap.length - 1; i > 0;) {
    const parent = (i - 1) >> 1;
    if (!worse(heap[i], heap[parent])) return;
    swap(heap, i, parent);
    i = parent;
  }
}

function siftDown(heap: Scored[]): void {
  for (let i = 0;;) {
    const left = 2 * i + 1;
    const child = worse(heap[left + 1], heap[left]) ? left + 1 : left;
    if (!worse(heap[child], heap[i])) return;
    swap(heap, i, child);
    i = child;
  }
}
