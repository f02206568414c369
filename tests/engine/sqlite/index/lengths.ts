import { CHUNKS_PER_PAGE } from "../../../../src/engine/sqlite/index/chunk_metadata.ts";
import type { ChunkLengths, IndexMemory } from "../../../../src/engine/sqlite/index/index_memory.ts";

/** Lengths of some chunks, of two words each. */
export class TestLengths implements ChunkLengths {
  readonly statistics = { chunks: 1, averageLength: 2 };
  readonly #pages = new Map<number, Uint16Array>();
  #revision = 0;

  /** Makes these chunks the only ones. */
  set(ids: Iterable<number>): void {
    this.#revision++;
    for (const lengths of this.#pages.values()) lengths.fill(0);
    for (const id of ids) {
      const number = Math.floor(id / CHUNKS_PER_PAGE);
      const lengths = this.#pages.getOrInsertComputed(number, () => new Uint16Array(CHUNKS_PER_PAGE));
      lengths[id % CHUNKS_PER_PAGE] = 2;
    }
  }

  get pageCount(): number {
    return 1 + Math.max(...this.#pages.keys());
  }

  revisionOf(page: number): number {
    return this.#pages.has(page) ? this.#revision : 0;
  }

  lengthsOn(page: number): Uint16Array {
    return this.#pages.get(page) ?? new Uint16Array(CHUNKS_PER_PAGE);
  }
}

/** Returns the posting list that `read` reads into the kernel. */
export function readPostings(memory: IndexMemory, read: () => void): [id: number, frequency: number][] {
  const { kernel, scratch, maxPostings } = memory;
  kernel.startPostings(scratch, scratch + 4 * maxPostings, maxPostings);
  read();
  const count = kernel.postingCount();
  const ids = new Uint32Array(memory.bytes.buffer, scratch, count);
  const frequencies = memory.bytes.subarray(scratch + 4 * maxPostings);
  return Array.from(ids, (id, index) => [id, frequencies[index] as number]);
}
