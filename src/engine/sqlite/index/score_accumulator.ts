import type { TermHits } from "../../search/mod.ts";
import type { IndexMemory } from "./index_memory.ts";
import type { KernelHits } from "./kernel_hits.ts";
import { loadAll, type Postings } from "./postings.ts";

/** A form of a word that a chunk may contain. */
export interface Alternative {
  readonly postings: Postings;
  /** Weight of a match, relative to the other alternatives. */
  readonly weight: number;
  /** Whether unrelated words may have the form, too. @default {false} */
  readonly isLoose?: boolean;
}

/** How the kernel adds a posting list; see kernel/scores.as. */
const KINDS = { add: 0, alternative: 1, lastAlternative: 2 } as const;

/** A posting list to add. */
interface Addend {
  readonly postings: Postings;
  readonly weight: number;
  readonly kind: typeof KINDS[keyof typeof KINDS];
}

/**
 * Sums the scores of chunks: keeps the posting lists to add until the scores are needed, and adds all of them to one
 * block of chunks after the other.
 */
export class ScoreAccumulator {
  readonly #memory: IndexMemory;
  #addends: Addend[] = [];
  #totalWeight = 0;

  /** @param memory Memory of the reader of the posting lists. */
  constructor(memory: IndexMemory) {
    this.#memory = memory;
  }

  /** Number of chunks with a score. Adds all scores to count them. */
  get count(): number {
    return this.#add().ids.length;
  }

  /** Whether at least this number of chunks have a score. Adds the scores only if the posting lists do not tell. */
  hasAtLeast(chunks: number): boolean {
    return this.#addends.some(({ postings }) => postings.count >= chunks) || this.count >= chunks;
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
    if (postings.count > 0) this.#addends.push({ postings, weight, kind: KINDS.add });
  }

  /** Adds the score of another spelling of a term, which is no weight of the query: chunks without it lack nothing. */
  addAlternative(postings: Postings, weight: number): void {
    if (postings.count > 0) this.#addends.push({ postings, weight, kind: KINDS.add });
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
    const weight = weightOf(this.#documentFrequency(own, others));
    this.#totalWeight += weight;
    for (const { postings, weight } of others) {
      if (postings.count > 0) this.#addends.push({ postings, weight, kind: KINDS.alternative });
    }
    this.#addends.push({ postings: own, weight, kind: KINDS.lastAlternative });
  }

  /**
   * Returns the number of chunks that contain a word: with its other forms, and with a loose one only if there are no
   * others.
   */
  #documentFrequency(own: Postings, others: readonly Alternative[]): number {
    const strict = others.filter(({ isLoose, postings }) => !isLoose && postings.count > 0)
      .map(({ postings }) => postings);
    const loose = others.find(({ isLoose, postings }) => isLoose && postings.count > 0);
    if (strict.length === 0) return own.count || (loose?.postings.count ?? 0);
    const lists = [own, ...strict];
    loadAll(lists, this.#memory);
    const address = this.#memory.writeLists(
      lists.map(({ address, count }) => ({ address, count, weight: 0, kind: KINDS.add })),
    );
    return own.count + this.#memory.kernel.countMissing(address, lists.length);
  }

  #add(): KernelHits {
    loadAll(this.#addends.map(({ postings }) => postings), this.#memory);
    return this.#memory.addLists(
      this.#addends.map(({ postings: { address, count }, weight, kind }) => ({
        address,
        count,
        weight,
        kind,
      })),
    );
  }

  /**
   * Returns the chunks that have a score and are allowed, in the order of their ids, and forgets all posting lists.
   * Read their properties again after other searches: the arrays may be in the memory of the kernel.
   *
   * @param isAllowed Undefined: all are.
   */
  drain(isAllowed?: (chunk: number) => boolean): TermHits {
    const hits = this.#add();
    this.reset();
    if (isAllowed) hits.filter(isAllowed);
    return hits;
  }

  /** Releases the memory of hits that nothing reads any more. Others are copied when the memory is needed. */
  release(hits: TermHits | undefined): void {
    this.#memory.releaseHits(hits);
  }

  /** Forgets all posting lists, such as those of a search that was interrupted. */
  reset(): void {
    this.#addends = [];
    this.#totalWeight = 0;
  }
}
