import type { TermHits } from "../../search/mod.ts";
import { termFrequencyScore } from "./bm25.ts";
import { type ChunkMetadata, CHUNKS_PER_PAGE } from "./chunk_metadata.ts";
import type { Postings } from "./postings_reader.ts";

/** A form of a word that a chunk may contain. */
export interface Alternative {
  readonly postings: Postings;
  /** Weight of a match, relative to the other alternatives. */
  readonly weight: number;
  /** Whether unrelated words may have the form, too. @default {false} */
  readonly isLoose?: boolean;
}

/**
 * Sums the scores of chunks term by term, in an array slot per chunk. Adding a posting is a single array
 * access, whereas merging sorted posting lists compares all of them for every chunk.
 */
export class ScoreAccumulator {
  readonly #chunks: ChunkMetadata;
  /** Scores by chunk id; 0 for a chunk without a score. */
  readonly #pages: Float64Array<ArrayBuffer>[] = [];
  /** Chunks with a score. */
  #ids = new Uint32Array(CHUNKS_PER_PAGE);
  #count = 0;
  /** Sum of the weights of the terms that a chunk contains, by chunk id. */
  readonly #matched: Float32Array<ArrayBuffer>[] = [];
  #totalWeight = 0;
  /** Highest scores of alternatives, by chunk id; 0 outside of {@linkcode addBest}. */
  readonly #best: Float64Array<ArrayBuffer>[] = [];

  constructor(chunks: ChunkMetadata) {
    this.#chunks = chunks;
  }

  /** Number of chunks with a score. */
  get count(): number {
    return this.#count;
  }

  /** Sum of the weights of all terms added, including those that no chunk contains. */
  get totalWeight(): number {
    return this.#totalWeight;
  }

  /**
   * Adds the score of a term or phrase to every chunk that contains it.
   *
   * @param weight Weight in the query times inverse document frequency.
   */
  add({ ids, frequencies }: Postings, weight: number): void {
    const { averageLength } = this.#chunks.statistics;
    let pageNumber = -1;
    let page = NO_SCORES;
    let matched: Float32Array = NO_WEIGHTS;
    let lengths: Uint16Array = NO_LENGTHS;
    this.#totalWeight += weight;
    while (this.#ids.length < this.#count + ids.length) this.#grow();
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i] as number;
      const at = id % CHUNKS_PER_PAGE;
      if ((id - at) / CHUNKS_PER_PAGE !== pageNumber) {
        pageNumber = (id - at) / CHUNKS_PER_PAGE;
        page = this.#pages[pageNumber] ??= new Float64Array(CHUNKS_PER_PAGE);
        matched = this.#matched[pageNumber] ??= new Float32Array(CHUNKS_PER_PAGE);
        lengths = this.#chunks.lengthsOn(pageNumber);
      }
      const score = page[at] as number;
      if (score === 0) this.#ids[this.#count++] = id;
      page[at] = score +
        weight * termFrequencyScore(frequencies[i] as number, lengths[at] as number, averageLength);
      matched[at] = (matched[at] as number) + weight;
    }
  }

  /**
   * Adds the score of the best alternative to every chunk that contains one. Alternatives are forms of one word:
   * a chunk with several of them must not count twice.
   *
   * @param weightOf Returns the weight of all alternatives together by their document frequency.
   */
  addBest(alternatives: readonly Alternative[], weightOf: (documentFrequency: number) => number): void {
    const { averageLength } = this.#chunks.statistics;
    const found: number[] = [];
    let documentFrequency = 0;
    // Loose alternatives last: they do not make the word more frequent.
    const sorted = alternatives.toSorted((a, b) => Number(a.isLoose ?? false) - Number(b.isLoose ?? false));
    for (const { postings: { ids, frequencies }, weight, isLoose } of sorted) {
      for (let i = 0; i < ids.length; i++) {
        const id = ids[i] as number;
        const page = this.#best[Math.floor(id / CHUNKS_PER_PAGE)] ??= new Float64Array(CHUNKS_PER_PAGE);
        const at = id % CHUNKS_PER_PAGE;
        const length = this.#chunks.lengthOf(id);
        const score = weight * termFrequencyScore(frequencies[i] as number, length, averageLength);
        if (page[at] === 0) found.push(id);
        if (score > (page[at] as number)) page[at] = score;
      }
      if (!isLoose || documentFrequency === 0) documentFrequency = found.length;
    }
    const weight = weightOf(documentFrequency);
    this.#totalWeight += weight;
    while (this.#ids.length < this.#count + found.length) this.#grow();
    for (const id of found) {
      const number = Math.floor(id / CHUNKS_PER_PAGE);
      const at = id % CHUNKS_PER_PAGE;
      const best = this.#best[number] as Float64Array;
      const page = this.#pages[number] ??= new Float64Array(CHUNKS_PER_PAGE);
      const matched = this.#matched[number] ??= new Float32Array(CHUNKS_PER_PAGE);
      if (page[at] === 0) this.#ids[this.#count++] = id;
      page[at] = (page[at] as number) + weight * (best[at] as number);
      matched[at] = (matched[at] as number) + weight;
      best[at] = 0;
    }
  }

  /** Returns the chunks that have a score and are allowed, and resets all scores. */
  drain(isAllowed: (chunk: number) => boolean): TermHits {
    const ids = new Uint32Array(this.#count);
    const scores = new Float64Array(this.#count);
    const weights = new Float32Array(this.#count);
    let kept = 0;
    for (let i = 0; i < this.#count; i++) {
      const id = this.#ids[i] as number;
      const number = Math.floor(id / CHUNKS_PER_PAGE);
      const at = id % CHUNKS_PER_PAGE;
      const page = this.#pages[number] as Float64Array;
      const matched = this.#matched[number] as Float32Array;
      if (isAllowed(id)) {
        ids[kept] = id;
        weights[kept] = matched[at] as number;
        scores[kept++] = page[at] as number;
      }
      page[at] = matched[at] = 0;
    }
    this.#count = this.#totalWeight = 0;
    return {
      ids: ids.subarray(0, kept),
      scores: scores.subarray(0, kept),
      weights: weights.subarray(0, kept),
    };
  }

  #grow(): void {
    const ids = this.#ids;
    this.#ids = new Uint32Array(ids.length * 2);
    this.#ids.set(ids);
  }
}

const NO_SCORES = new Float64Array();
const NO_WEIGHTS = new Float32Array();
const NO_LENGTHS = new Uint16Array();
