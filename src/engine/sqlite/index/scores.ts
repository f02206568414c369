import type { Hits } from "../../search/mod.ts";
import { contribution } from "./bm25.ts";
import { type ChunkTable, PAGE } from "./chunk_table.ts";
import type { Postings } from "./postings.ts";

/**
 * Adds up the scores of chunks, word by word. One place in memory for each chunk, in pages: adding is a single access, where
 * merging sorted lists goes through all of them for every word.
 */
export class Scores {
  readonly #chunks: ChunkTable;
  readonly #pages: Float64Array<ArrayBuffer>[] = [];
  /** Chunks with a score. */
  #ids = new Uint32Array(PAGE);
  #count = 0;

  constructor(chunks: ChunkTable) {
    this.#chunks = chunks;
  }

  /** Chunks that have a score. */
  get count(): number {
    return this.#count;
  }

  /** Adds what a word or phrase of this weight is worth in each chunk that has it. */
  add({ ids, counts }: Postings, weight: number): void {
    const { averageLength } = this.#chunks.size;
    let number = -1;
    let page = NO_PAGE;
    let lengths: Uint16Array = NO_LENGTHS;
    while (this.#ids.length < this.#count + ids.length) this.#makeRoom();
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i] as number;
      const at = id % PAGE;
      if ((id - at) / PAGE !== number) {
        number = (id - at) / PAGE;
        page = this.#pages[number] ??= new Float64Array(PAGE);
        lengths = this.#chunks.lengthsOn(number);
      }
      const score = page[at] as number;
      if (score === 0) this.#ids[this.#count++] = id;
      page[at] = score + weight * contribution(counts[i] as number, lengths[at] as number, averageLength);
    }
  }

  /** The chunks that have a score and pass. Forgets them all. */
  take(passes: (id: number) => boolean): Hits {
    const ids = new Uint32Array(this.#count);
    const scores = new Float64Array(this.#count);
    let kept = 0;
    for (let i = 0; i < this.#count; i++) {
      const id = this.#ids[i] as number;
      const page = this.#pages[Math.floor(id / PAGE)] as Float64Array;
      if (passes(id)) {
        ids[kept] = id;
        scores[kept++] = page[id % PAGE] as number;
      }
      page[id % PAGE] = 0;
    }
    this.#count = 0;
    return { ids: ids.subarray(0, kept), scores: scores.subarray(0, kept) };
  }

  #makeRoom(): void {
    const ids = this.#ids;
    this.#ids = new Uint32Array(ids.length * 2);
    this.#ids.set(ids);
  }
}

const NO_PAGE = new Float64Array();
const NO_LENGTHS = new Uint16Array();
