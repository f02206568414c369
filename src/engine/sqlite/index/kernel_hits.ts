import type { TermHits } from "../../search/mod.ts";
import type { Kernel } from "./kernel.ts";

/** Maximum number of hits that the kernel selects: it sorts by insertion. */
const MAX_SELECTED = 64;

/** Hits as arrays. */
export interface HitArrays {
  readonly ids: Uint32Array<ArrayBuffer>;
  readonly scores: Float64Array<ArrayBuffer>;
  readonly weights: Float32Array<ArrayBuffer>;
}

/**
 * The hits of a search in the memory of the kernel: copying up to hundreds of thousands takes longer than to rank them.
 * They are copied when another search needs the memory before they are released, so that each access has to read the
 * properties again.
 */
export class KernelHits implements TermHits {
  #arrays: HitArrays;
  /** Unset once the hits are copied. */
  #kernel: Kernel | undefined;
  readonly #results: number;

  /**
   * @param views Views of the memory of the kernel.
   * @param options.results Address for the results of a call.
   */
  constructor(views: HitArrays, { kernel, results }: { readonly kernel: Kernel; readonly results: number }) {
    this.#arrays = views;
    this.#kernel = kernel;
    this.#results = results;
  }

  get ids(): Uint32Array<ArrayBuffer> {
    return this.#arrays.ids;
  }

  get scores(): Float64Array<ArrayBuffer> {
    return this.#arrays.scores;
  }

  get weights(): Float32Array<ArrayBuffer> {
    return this.#arrays.weights;
  }

  /** Keeps the hits that are allowed. */
  filter(isAllowed: (chunk: number) => boolean): void {
    const { ids, scores, weights } = this.#arrays;
    let kept = 0;
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i] as number;
      if (!isAllowed(id)) continue;
      ids[kept] = id;
      scores[kept] = scores[i] as number;
      weights[kept++] = weights[i] as number;
    }
    this.#arrays = {
      ids: ids.subarray(0, kept),
      scores: scores.subarray(0, kept),
      weights: weights.subarray(0, kept),
    };
  }

  topIndexes(count: number): number[] | undefined {
    const { scores } = this.#arrays;
    if (!this.#kernel || count < 1 || count > MAX_SELECTED) return undefined;
    const found = this.#kernel.topScores(scores.byteOffset, scores.length, count, this.#results);
    return [...new Uint32Array(scores.buffer, this.#results, found)];
  }

  countBelow(score: number): number | undefined {
    const { scores } = this.#arrays;
    return this.#kernel?.countBelow(scores.byteOffset, scores.length, score);
  }

  /** Copies the hits, which do not depend on the memory of the kernel any more. */
  detach(): void {
    const { ids, scores, weights } = this.#arrays;
    this.#arrays = { ids: ids.slice(), scores: scores.slice(), weights: weights.slice() };
    this.#kernel = undefined;
  }
}
