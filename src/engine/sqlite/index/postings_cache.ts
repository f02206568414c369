import { requireIntact } from "./errors.ts";
import type { IndexMemory } from "./index_memory.ts";
import type { Postings } from "./postings.ts";

/** Maximum number of posting lists, including empty ones. */
const MAX_ENTRIES = 16_384;
/** Posting lists with a longer key are not found again. */
const MAX_KEY_LENGTH = 256;

/** Address of a posting list that is not in memory. */
const EVICTED = 0;

/** A posting list in the ring, unless it has been moved or read again. */
interface RingEntry {
  readonly postings: CachedPostings;
  readonly address: number;
}

/**
 * Keeps posting lists in a ring of the kernel's memory. New ones overwrite the oldest; those that were used meanwhile
 * move to the new ones once, so that words of many queries remain.
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
    const postings = this.#entries.get(key);
    if (postings) postings.isUsed = true;
    return postings;
  }

  /** Forgets a posting list. */
  delete(key: string): void {
    const postings = this.#entries.get(key);
    if (!postings) return;
    postings.address = EVICTED;
    this.#entries.delete(key);
  }

  /** Keys of the posting lists that can be found. */
  keys(): Iterable<string> {
    return this.#entries.keys();
  }

  /** Forgets all posting lists. */
  clear(): void {
    for (const { postings } of this.#ring) postings.address = EVICTED;
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
    const postings = new CachedPostings(key, { read, insert: this.#insert });
    postings.read();
    return postings;
  }

  readonly #insert = (postings: CachedPostings): void => {
    const { scratch: ids, maxPostings, kernel } = this.#memory;
    const frequencies = ids + 4 * maxPostings;
    const { count, key } = postings;
    const size = requireIntact(kernel.measurePostings(ids, frequencies, count));
    postings.size = size;
    while (this.#ring.length - this.#oldest >= MAX_ENTRIES) this.#evictOldest();
    while (!this.#hasSpace(size)) this.#evictOldest();
    const address = this.#next;
    kernel.packPostings(ids, frequencies, count, address);
    // Another one with this key, which was evicted in between, may remain: a search needs all of its lists at once.
    if (key.length <= MAX_KEY_LENGTH) this.#entries.set(key, postings);
    this.#place(postings, address);
  };

  #place(postings: CachedPostings, address: number): void {
    postings.address = address;
    this.#ring.push({ postings, address });
    this.#next = address + postings.size;
  }

  /** Whether a size fits before the oldest posting list, or at the start, where it continues then. */
  #hasSpace(size: number): boolean {
    const { cacheStart, cacheEnd } = this.#memory;
    const { address } = this.#ring[this.#oldest] ?? {};
    if (address !== undefined && address >= this.#next) return this.#next + size <= address;
    if (this.#next + size <= cacheEnd) return true;
    this.#next = cacheStart;
    return this.#hasSpace(size);
  }

  /** Evicts the oldest posting list, or moves it if it was used. */
  #evictOldest(): void {
    const entry = this.#ring[this.#oldest++];
    if (this.#oldest >= MAX_ENTRIES) {
      this.#ring = this.#ring.slice(this.#oldest);
      this.#oldest = 0;
    }
    if (!entry || entry.postings.address !== entry.address) return;
    const { postings, address } = entry;
    if (!postings.isUsed) {
      postings.address = EVICTED;
      if (this.#entries.get(postings.key) === postings) this.#entries.delete(postings.key);
      return;
    }
    postings.isUsed = false;
    const { bytes, cacheStart, cacheEnd } = this.#memory;
    if (address < this.#next && this.#next + postings.size > cacheEnd) this.#next = cacheStart;
    bytes.copyWithin(this.#next, address, address + postings.size);
    this.#place(postings, this.#next);
  }
}

class CachedPostings implements Postings {
  readonly key: string;
  readonly #read: () => number;
  readonly #insert: (postings: CachedPostings) => void;
  count = 0;
  size = 0;
  address = EVICTED;
  /** Whether it was used since it was read or moved. */
  isUsed = false;

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
    this.isUsed = true;
    return this.address;
  }

  read(): void {
    this.count = this.#read();
    this.#insert(this);
  }
}
