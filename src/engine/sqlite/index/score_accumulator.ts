import type { TermHits } from "../../search/mod.ts";
import { HIT_BATCH, type IndexMemory } from "./index_memory.ts";
import type { Postings } from "./postings.ts";

/** A form of a word that a chunk may contain. */
export interface Alternative {
  readonly postings: Postings;
  /** Weight of a match, relative to the other alternatives. */
  readonly weight: number;
  /** Whether unrelated words may have the form, too. @default {false} */
  readonly isLoose?: boolean;
}

/**
 * Sums the scores of chunks term by term, in a slot per chunk of the kernel's memory. Adding a posting is a single
 * access, whereas merging sorted posting lists compares all of them for every chunk.
 */
export class ScoreAccumulator {
  readonly #memory: IndexMemory;
  #totalWeight = 0;

  /** @param memory Memory of the reader of the posting lists. One accumulator may use it. */
  constructor(memory: IndexMemory) {
    this.#memory = memory;
  }

  /** Number of chunks with a score. */
  get count(): number {
    return this.#memory.kernel.scoreCount();
  }

  /** Sum of the weights of all terms added, including those that no chunk contains. */
  get totalWeight(): number {
    return this.#totalWeight;
  }

  /**
   * Adds the score of a term or phrase to every chunk that contains it.
   *
   * @param weight Weight in the query times inverse document frequency, above 0.
   */
  add(postings: Postings, weight: number): void {
    this.#totalWeight += weight;
    const ids = postings.load();
    this.#memory.kernel.addScores(ids, ids + 4 * postings.count, postings.count, weight);
  }

  /**
   * Adds the score of the best alternative to every chunk that contains one. Alternatives are forms of one word:
   * a chunk with several of them must not count twice.
   *
   * @param own The word as typed, with a weight of 1. Nearly all chunks are expected to contain it, and few the others.
   * @param others Other forms.
   * @param weightOf Returns the weight of all alternatives together by their document frequency.
   */
  addBest(
    own: Postings,
    others: readonly Alternative[],
    weightOf: (documentFrequency: number) => number,
  ): void {
    const { kernel } = this.#memory;
    // Loose alternatives last: they do not make the word more frequent.
    const sorted = others.toSorted((a, b) => Number(a.isLoose ?? false) - Number(b.isLoose ?? false));
    let documentFrequency = own.count;
    for (const [index, { postings, weight, isLoose }] of sorted.entries()) {
      const ids = postings.load();
      const found = kernel.raiseBest(ids, ids + 4 * postings.count, postings.count, weight);
      if (isLoose) documentFrequency ||= found;
      else if (sorted[index + 1]?.isLoose ?? true) {
        documentFrequency += found - kernel.countAlternatives(own.load(), own.count);
      }
    }
    const weight = weightOf(documentFrequency);
    this.#totalWeight += weight;
    const ids = own.load();
    kernel.addBest(ids, ids + 4 * own.count, own.count, weight);
  }

  /**
   * Returns the chunks that have a score and are allowed, and resets all scores.
   *
   * @param isAllowed Undefined: all are.
   */
  drain(isAllowed?: (chunk: number) => boolean): TermHits {
    const { count } = this;
    const ids = new Uint32Array(count);
    const scores = new Float64Array(count);
    const weights = new Float32Array(count);
    let kept = 0;
    for (let start = 0; start < count; start += HIT_BATCH) {
      const end = Math.min(count, start + HIT_BATCH);
      const batch = this.#memory.takeScores(start, end);
      if (!isAllowed) {
        ids.set(batch.ids, start);
        scores.set(batch.scores, start);
        weights.set(batch.weights, start);
        kept = end;
        continue;
      }
      for (let i = 0; i < batch.ids.length; i++) {
        const id = batch.ids[i] as number;
        if (!isAllowed(id)) continue;
        ids[kept] = id;
        scores[kept] = batch.scores[i] as number;
        weights[kept++] = batch.weights[i] as number;
      }
    }
    this.#memory.kernel.forgetHits();
    this.#totalWeight = 0;
    return {
      ids: ids.subarray(0, kept),
      scores: scores.subarray(0, kept),
      weights: weights.subarray(0, kept),
    };
  }

  /** Discards all scores, such as those of a search that was interrupted. */
  reset(): void {
    this.#memory.kernel.resetScores();
    this.#totalWeight = 0;
  }
}
