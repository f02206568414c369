import { NONE, type Postings, type PostingsReader } from "./postings.ts";
import { LONE_PART_WEIGHT, PART_WEIGHT, type Unit } from "./query.ts";
import { stems as stemsOf } from "./stem.ts";

/**
 * Entries of the index that a query may read for each of its units, all units together, and the least for a short query: about
 * 30 ms for a question, 250 ms for a page of text. The rarest words are read first; one that would go beyond is left out
 * with all that are more common, and those have the least to say.
 */
const PLACES_PER_UNIT = 10_000;
const MIN_UNITS = 12;

/** Something to read from the index. */
interface Reading {
  /** What the index has for it: one stem, or those of a phrase. */
  readonly stems: readonly string[];
  readonly words: readonly string[];
  weight: number;
  /** Entries to be read for it. */
  readonly places: number;
}

/**
 * Every chunk that has any of the units, with its score: the sum over units, as BM25 has it.
 */
export function rank(units: readonly Unit[], reader: PostingsReader): Postings {
  const readings = readingsOf(units, reader);
  let places = PLACES_PER_UNIT * Math.max(MIN_UNITS, units.length);
  let ranked: Postings | undefined;
  const add = ({ places: needed, weight }: Reading, read: () => Postings): Postings | undefined => {
    places -= needed;
    if (places < 0 && ranked) return undefined;
    const found = needed > 0 ? read() : NONE;
    ranked = ranked ? merge(ranked, found, weight) : scaled(found, weight);
    return found;
  };
  for (const reading of readings.filter(({ stems }) => stems.length > 1)) {
    const found = add(reading, () => reader.phrase(reading.words));
    if (!found) break;
    // Nobody writes it like that: then its words are all there is to go by.
    if (found.ids.length === 0) {
      for (const word of readings.filter(({ stems }) => stems.length === 1)) {
        if (reading.stems.includes(word.stems[0] ?? "")) {
          word.weight += reading.weight * (LONE_PART_WEIGHT - PART_WEIGHT);
        }
      }
    }
  }
  for (const reading of readings.filter(({ stems }) => stems.length === 1)) {
    if (!add(reading, () => reader.word(reading.stems[0] ?? ""))) break;
  }
  return ranked ?? NONE;
}

/** What there is to read for the units, the least first. Words with the same stem are one. */
function readingsOf(units: readonly Unit[], reader: PostingsReader): Reading[] {
  const stemmed = stemsOf(units.flatMap((unit) => unit.words));
  const found = new Map<string, Reading>();
  let at = 0;
  for (const { words, weight } of units) {
    const stems = stemmed.slice(at, at += words.length).flat();
    const key = stems.join(" ");
    const known = found.get(key);
    if (known) known.weight += weight;
    else if (stems.length > 0) {
      const counts = stems.map((stem) => reader.occurrences(stem));
      const sum = counts.reduce((total, n) => total + n, 0);
      // A phrase is found by FTS5 itself, which reads the entries of its words three times as fast.
      const places = counts.includes(0) ? 0 : stems.length > 1 ? sum / 3 : sum;
      found.set(key, { stems, words, weight, places });
    }
  }
  return [...found].sort(([a, x], [b, y]) => x.places - y.places || (a < b ? -1 : 1)).map(([, one]) => one);
}

function scaled(postings: Postings, weight: number): Postings {
  return weight === 1 ? postings : { ...postings, scores: postings.scores.map((score) => score * weight) };
}

/** The union of two lists, scores added. */
function merge(a: Postings, b: Postings, weight: number): Postings {
  const { length } = a.ids;
  const ids = new Uint32Array(length + b.ids.length);
  const scores = new Float64Array(ids.length);
  let count = 0;
  let i = 0;
  // Reading beyond the end of a typed array is slow, hence the bounds here and in what follows.
  for (let j = 0; j < b.ids.length; j++) {
    const id = b.ids[j] as number;
    while (i < length && (a.ids[i] as number) < id) {
      ids[count] = a.ids[i] as number;
      scores[count++] = a.scores[i++] as number;
    }
    ids[count] = id;
    scores[count] = (b.scores[j] as number) * weight;
    if (i < length && a.ids[i] === id) scores[count] = (a.scores[i++] as number) + (scores[count] as number);
    count++;
  }
  ids.set(a.ids.subarray(i), count);
  scores.set(a.scores.subarray(i), count);
  count += length - i;
  return { ids: ids.subarray(0, count), scores: scores.subarray(0, count), places: a.places + b.places };
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
