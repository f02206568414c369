import { type IndexMemory, POSTING_BYTES } from "./index_memory.ts";
import type { Postings } from "./postings.ts";

/** Maximum number of posting lists, including empty ones: the number of unknown words is unlimited. */
const MAX_ENTRIES = 16_384;
/** Of longer keys, only the last one is cached. */
const MAX_KEY_LENGTH = 256;
const LONG_KEY = "";

/** Address of a posting list that is no longer in memory. */
const EVICTED = 0;

interface Entry {
  readonly key: string;
  readonly address: number;
  readonly end: number;
  readonly postings: CachedPostings;
}

/**
 * Keeps posting lists in a ring of the kernel's memory, which overwrites the oldest ones.
 */
export class PostingsCache {
  readonly #memory: IndexMemory;
  /** Entries in the order of their addresses, from the oldest on. */
  readonly #entries = new Map<string, Entry>();
  #next: number;

  constructor(memory: IndexMemory) {
    this.#memory = memory;
    this.#next = memory.cacheStart;
  }

  /** Returns a posting list in memory. */
  get(key: string): Postings | undefined {
    return this.#entries.get(key)?.postings;
  }

  /** Forgets all posting lists. */
  clear(): void {
    for (const { postings } of this.#entries.values()) postings.address = EVICTED;
    this.#entries.clear();
    this.#next = this.#memory.cacheStart;
  }

  /**
   * Moves the kernel's posting list into the cache.
   *
   * @param read Reads a posting list into the kernel, and returns its length. Called again once it is evicted.
   */
  add(key: string, read: () => number): Postings {
    const postings = new CachedPostings(() => {
      postings.count = read();
      this.#insert(key.length > MAX_KEY_LENGTH ? LONG_KEY : key, postings);
    });
    postings.read();
    return postings;
  }

  #insert(key: string, postings: CachedPostings): void {
    const { scratch, maxPostings } = this.#memory;
    const { count } = postings;
    const size = Math.ceil(count * POSTING_BYTES / 4) * 4;
    if (this.#next + size > this.#memory.cacheEnd) {
      this.#evict((entry) => entry.address >= this.#next);
      this.#next = this.#memory.cacheStart;
    }
    const address = this.#next;
    const end = address + size;
    this.#evict((entry) => entry.address >= address && entry.address < end);
    if (this.#entries.size >= MAX_ENTRIES) this.#evictOldest();
    this.#memory.reserve(end);
    const { bytes } = this.#memory;
    bytes.copyWithin(address, scratch, scratch + 4 * count);
    const frequencies = scratch + 4 * maxPostings;
    bytes.copyWithin(address + 4 * count, frequencies, frequencies + count);
    postings.address = address;
    const previous = this.#entries.get(key);
    if (previous) this.#remove(previous);
    this.#entries.set(key, { key, address, end, postings });
    this.#next = end;
  }

  /** Evicts the oldest entries for which a condition is true. */
  #evict(condition: (entry: Entry) => boolean): void {
    for (const entry of this.#entries.values()) {
      if (!condition(entry)) return;
      this.#remove(entry);
    }
  }

  #evictOldest(): void {
    const [oldest] = this.#entries.values();
    if (oldest) this.#remove(oldest);
  }

  #remove({ key, postings }: Entry): void {
    postings.address = EVICTED;
    this.#entries.delete(key);
  }
}

class CachedPostings implements Postings {
  readonly read: () => void;
  count = 0;
  address = EVICTED;

  constructor(read: () => void) {
    this.read = read;
  }

  load(): number {
    if (this.count > 0 && this.address === EVICTED) this.read();
    return this.address;
  }
}
