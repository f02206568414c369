import type { Hits } from "./scores.ts";

/** A chunk and its score. */
export interface Scored {
  readonly id: number;
  readonly score: number;
}

/**
 * The `count` best, best first; of equal ones the one with the smaller id.
 */
export function best({ ids, scores }: Hits, count: number): Scored[] {
  // A heap with the worst of the best on top: most chunks are compared with that one and forgotten.
  const heap: Scored[] = [];
  for (let i = 0; i < ids.length; i++) {
    const id = ids[i] as number;
    const score = scores[i] as number;
    const worst = heap[0];
    if (heap.length < count) {
      heap.push({ id, score });
      siftUp(heap);
    } else if (worst && (score > worst.score || (score === worst.score && id < worst.id))) {
      heap[0] = { id, score };
      siftDown(heap);
    }
  }
  return heap.sort(byScore);
}

/** Best first; of equal ones the one with the smaller id. */
export function byScore(a: Scored, b: Scored): number {
  return b.score - a.score || a.id - b.id;
}

function isWorse(a: Scored | undefined, b: Scored | undefined): boolean {
  return a !== undefined && b !== undefined && byScore(a, b) > 0;
}

function swap(heap: Scored[], i: number, j: number): void {
  [heap[i], heap[j]] = [heap[j] as Scored, heap[i] as Scored];
}

function siftUp(heap: Scored[]): void {
  for (let i = heap.length - 1; i > 0;) {
    const parent = (i - 1) >> 1;
    if (!isWorse(heap[i], heap[parent])) return;
    swap(heap, i, parent);
    i = parent;
  }
}

function siftDown(heap: Scored[]): void {
  for (let i = 0;;) {
    const left = 2 * i + 1;
    const child = isWorse(heap[left + 1], heap[left]) ? left + 1 : left;
    if (!isWorse(heap[child], heap[i])) return;
    swap(heap, i, child);
    i = child;
  }
}
