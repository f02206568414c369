import { requireIntact } from "./errors.ts";
import type { IndexMemory } from "./index_memory.ts";
import type { Postings } from "./postings.ts";

/** Maximum number of posting lists, including empty ones. */
const MAX_ENTRIES = 16_384;
/** Of longer keys, only the last one is cached. */
const MAX_KEY_LENGTH = 256;
const LONG_KEY = "";

/** Address of a posting list that is not in memory. */
const EVICTED = 0;

/** A posting list in the ring, unless it has been replaced or read again. */
interface RingEntry {
  readonly postings: CachedPostings;
  readonly address: number;
}

/**
 * Keeps posting lists in a ring of the kernel's memory, which overwrites the oldest ones.
 */
export class PostingsCache {
  readonly #memory: IndexMemory;
  readonly #entries = new Map<string, CachedPostings>();
  /** Ranges of the ring in the order in which they were written. */
  #ring: RingEntry[] = [];
  /** Index of the oldest one. */
  #oldest = 0;
  #next: number;

  constructor(memory: IndexMemory) {
    this.#memory = memory;
    this.#next = memory.cacheStart;
  }

  /** Returns a posting list in memory. */
  get(key: string): Postings | undefined {
    return this.#entries.get(key);
  }

  /** Forgets all posting lists. */
  clear(): void {
    for (const postings of this.#entries.values()) postings.address = EVICTED;
    this.#entries.clear();
    this.#ring = [];
    this.#oldest = 0;
    this.#next = this.#memory.cacheStart;
  }

  /**
   * Packs the kernel's posting list into the cache.
   *
   * @param read Reads a posting list into the kernel, and returns its length. Called again once it is evicted.
   */
  add(key: string, read: () => number): Postings {
    const postings = new CachedPostings(key.length > MAX_KEY_LENGTH ? LONG_KEY : key, {
      read,
      insert: this.#insert,
    });
    postings.read();
    return postings;
  }

  readonly #insert = (postings: CachedPostings): void => {
    const { scratch: ids, maxPostings, kernel } = this.#memory;
    const frequencies = ids + 4 * maxPostings;
    const { count, key } = postings;
    const size = requireIntact(kernel.measurePostings(ids, frequencies, count));
    postings.size = size;
    if (this.#next + size > this.#memory.cacheEnd) {
      this.#evictFrom(this.#next);
      this.#next = this.#memory.cacheStart;
    }
    const address = this.#next;
    const end = address + size;
    this.#evictFrom(address, end);
    if (this.#ring.length - this.#oldest >= MAX_ENTRIES) this.#evictOldest();
    kernel.packPostings(ids, frequencies, count, address);
    const previous = this.#entries.get(key);
    if (previous) previous.address = EVICTED;
    postings.address = address;
    this.#entries.set(key, postings);
    this.#ring.push({ postings, address });
    this.#next = end;
  };

  /** Evicts the oldest posting lists as long as they start in a range of addresses. */
  #evictFrom(start: number, end = Infinity): void {
    for (;;) {
      const { address = EVICTED } = this.#ring[this.#oldest] ?? {};
      if (address < start || address >= end) return;
      this.#evictOldest();
    }
  }

  #evictOldest(): void {
    const entry = this.#ring[this.#oldest];
    if (!entry) return;
    const { postings, address } = entry;
    if (postings.address === address) {
      postings.address = EVICTED;
      this.#entries.delete(postings.key);
    }
    this.#oldest++;
    if (this.#oldest < MAX_ENTRIES) return;
    this.#ring = this.#ring.slice(this.#oldest);
    this.#oldest = 0;
  }
}

class CachedPostings implements Postings {
  readonly key: string;
  readonly #read: () => number;
  readonly #insert: (postings: CachedPostings) => void;
  count = 0;
  size = 0;
  address = EVICTED;

  constructor(key: string, { read, insert }: {
    readonly read: () => number;
    readonly insert: (postings: CachedPostings) => void;
  }) {
    this.key = key;
    this.#read = read;
    this.#insert = insert;
  }

  load(): number {
    if (this.count > 0 && this.address === EVICTED) this.read();
    return this.address;
  }

  read(): void {
    this.count = this.#read();
    this.#insert(this);
  }
}
