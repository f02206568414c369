import { sortedIndexOf, TopK } from "../../data_structures/mod.ts";
import type { Hits, ScoredChunk, TermHits } from "./hits.ts";

/** Weight of the terms relative to the cosine similarity. */
const TERM_WEIGHT = 0.11;
/** Bonus of a chunk with the whole query: keywords are looked up, and their vectors are vague. */
const WHOLE_QUERY_BONUS = 0.1;
/** Covers the rounding of a sum of scores. */
const ROUNDING = 1e-9;

/** Options of {@linkcode FusedHits}. */
export interface FusedHitsOptions {
  readonly hits: TermHits;
  /** Sum of the weights of all terms of the query. */
  readonly queryWeight: number;
  /** Weight of the terms that are full evidence. */
  readonly sufficientWeight: number;
  /** Similarities by chunk, as far as known. */
  readonly similarities: ReadonlyMap<number, number>;
  /** Similarity of all other chunks. */
  readonly unknown: number;
}

/** A chunk whose similarity is known. */
interface KnownHit extends ScoredChunk {
  /** Index among the hits by terms. Undefined: the chunk has none of them. */
  readonly index: number | undefined;
}

/**
 * Chunks of two rankings, with the scores of `fuse`.
 *
 * A query can match most chunks of a large store, and the similarity of few of them is known. The first ones are found, and
 * weak ones counted, without the scores of those whose bound is too low.
 */
export class FusedHits implements Hits {
  readonly count: number;
  /** Their arrays are read again by each method, since they may have been moved. */
  readonly #hits: TermHits;
  readonly #queryWeight: number;
  /** Similarity of all other chunks. */
  readonly #unknown: number;
  readonly #known: readonly KnownHit[];
  readonly #scale: number;
  readonly #sufficient: number;
  #ids: Uint32Array | undefined;
  #scores: Float64Array | undefined;

  constructor({ hits, queryWeight, sufficientWeight, similarities, unknown }: FusedHitsOptions) {
    this.#hits = hits;
    this.#queryWeight = queryWeight;
    this.#unknown = unknown;
    this.#sufficient = sufficientWeight;
    this.#scale = TERM_WEIGHT / Math.sqrt(queryWeight);
    const arrays = arraysOf(this.#hits);
    const { ids } = arrays;
    this.#known = Array.from(similarities, ([id, similarity]) => {
      const index = sortedIndexOf(ids, id);
      return {
        id,
        index,
        score: index === undefined ? similarity : this.#scoreAt(arrays, index, similarity),
      };
    });
    this.count = ids.length + this.#others().length;
  }

  get ids(): Uint32Array {
    return this.#ids ??= this.#allIds();
  }

  get scores(): Float64Array {
    return this.#scores ??= this.#allScores();
  }

  topHits(count: number): ScoredChunk[] {
    const capacity = Math.min(count, this.count);
    if (capacity === 0) return [];
    const top = new TopK(capacity);
    const known = new Set<number>();
    for (const { id, score } of this.#known) {
      known.add(id);
      top.offer(id, score);
    }
    const arrays = arraysOf(this.#hits);
    const { ids } = arrays;
    let { threshold } = top;
    for (let i = -1; (i = this.#nextAbove(arrays, threshold, i + 1)) < ids.length;) {
      const id = ids[i]!;
      if (known.has(id)) continue;
      top.offer(id, this.#scoreAt(arrays, i, this.#unknown));
      threshold = top.threshold;
    }
    const ranked = top.ranked();
    return Array.from(ranked.ids, (id, at) => ({ id, score: ranked.scores[at]! }));
  }

  countBelow(score: number): number {
    const arrays = arraysOf(this.#hits);
    const isBelow = (index: number) => this.#scoreAt(arrays, index, this.#unknown) < score;
    let count = 0;
    for (const { index, score: knownScore } of this.#known) {
      if (knownScore < score) count++;
      // Counted with the others.
      if (index !== undefined && isBelow(index)) count--;
    }
    // Terms only add to a similarity.
    if (this.#unknown >= score) return count;
    const { length } = arrays.ids;
    let above = 0;
    for (let i = -1; (i = this.#nextAbove(arrays, score, i + 1)) < length;) {
      if (!isBelow(i)) above++;
    }
    return count + length - above;
  }

  /** Returns the chunks that have no terms. */
  #others(): KnownHit[] {
    return this.#known.filter(({ index }) => index === undefined);
  }

  #allIds(): Uint32Array {
    const { ids } = this.#hits;
    const all = new Uint32Array(this.count);
    all.set(ids);
    this.#others().forEach(({ id }, at) => all[ids.length + at] = id);
    return all;
  }

  #allScores(): Float64Array {
    const all = new Float64Array(this.count);
    const arrays = arraysOf(this.#hits);
    const { length } = arrays.ids;
    for (let i = 0; i < length; i++) all[i] = this.#scoreAt(arrays, i, this.#unknown);
    let end = length;
    for (const { index, score } of this.#known) all[index ?? end++] = score;
    return all;
  }

  #scoreAt({ scores, weights }: HitArrays, index: number, similarity: number): number {
    const weight = weights[index]!;
    const termScore = this.#scale * partialEvidence(weight / this.#sufficient) * scores[index]!;
    return similarity + termScore + wholeQueryBonus(weight / this.#queryWeight);
  }

  /**
   * Returns the first index from one on whose chunk may have at least a score if its similarity is unknown, or the number
   * of hits.
   */
  #nextAbove({ scores, weights }: HitArrays, score: number, from: number): number {
    const difference = score - this.#unknown - ROUNDING;
    // With any weight.
    const minTermScore = (difference - WHOLE_QUERY_BONUS) / this.#scale;
    const [perWeight, queryWeight] = [this.#scale / this.#sufficient, this.#queryWeight];
    for (let i = from; i < scores.length; i++) {
      const termScore = scores[i]!;
      if (termScore < minTermScore) continue;
      const weight = weights[i]!;
      // At least the evidence of the weight, without its root.
      const bound = Math.min(perWeight * weight, this.#scale) * termScore;
      if (bound + wholeQueryBonus(weight / queryWeight) >= difference) return i;
    }
    return scores.length;
  }
}

type HitArrays = Pick<TermHits, "ids" | "scores" | "weights">;

function arraysOf({ ids, scores, weights }: TermHits): HitArrays {
  return { ids, scores, weights };
}

/*
 * A query can match most chunks of a store, so that both functions avoid `**`, which takes as long as the
 * rest of the loop.
 */

/** Returns coverage^1.5, which makes a match of half of the evidence count a third. */
function partialEvidence(share: number): number {
  const coverage = Math.min(1, share);
  return coverage * Math.sqrt(coverage);
}

/** Returns share^8 of the bonus: nearly 0 for a chunk with less than two thirds of the query. */
function wholeQueryBonus(share: number): number {
  const limited = Math.min(1, share);
  const square = limited * limited;
  const fourth = square * square;
  return WHOLE_QUERY_BONUS * fourth * fourth;
}
