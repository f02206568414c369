import type { ChunkMetadata } from "./chunk_metadata.ts";
import { lengthNorm } from "./bm25.ts";
import { KernelHits } from "./kernel_hits.ts";
import { IndexDamagedError, requireIntact } from "./errors.ts";
import {
  BLOCK_BYTES,
  BLOCK_CHUNKS,
  BLOCK_SCORES_BYTES,
  DAMAGED,
  type Kernel,
  linkKernel,
  LIST_BYTES,
} from "./kernel.ts";

const decoder = new TextDecoder();

const PAGE_BYTES = 65_536;
/** Maximum size of a memory with 32-bit addresses, in pages. */
const MAX_PAGES = 65_536;

// Addresses. The first page is unused, so that no address is 0.
const KEY_ADDRESS = PAGE_BYTES;
/** Two keys, longer than the terms that FTS5 stores. */
const MAX_KEY_BYTES = 2 * PAGE_BYTES;
const NORMS_ADDRESS = KEY_ADDRESS + MAX_KEY_BYTES;
const MAX_LENGTHS = 65_536;
/** The block of all ids without chunks. */
const NO_CHUNKS_ADDRESS = NORMS_ADDRESS + 8 * MAX_LENGTHS;
const RESULTS_ADDRESS = NO_CHUNKS_ADDRESS + BLOCK_BYTES;
const RESULTS_BYTES = 4 * PAGE_BYTES;
const SCORES_ADDRESS = RESULTS_ADDRESS + RESULTS_BYTES;
/** Posting lists to add: more than the words of the longest query have forms. */
const LISTS_ADDRESS = alignUp(SCORES_ADDRESS + BLOCK_SCORES_BYTES);
const MAX_LISTS = 2 ** 16;
const NEXT_PAGES_ADDRESS = LISTS_ADDRESS + MAX_LISTS * LIST_BYTES;
/** Capacity for pages of an index that are read at once: 64 of the largest size that FTS5 allows. */
const MAX_STAGED_BYTES = 4 * 2 ** 20;
/** Zeros behind the pages end a varint that a damaged page does not. */
const ZERO_BYTES = 64;
/** Buffer for a term, and for terms of a page. */
const TERM_ADDRESS = alignUp(NEXT_PAGES_ADDRESS + MAX_STAGED_BYTES + ZERO_BYTES);
const TERMS_ADDRESS = TERM_ADDRESS + MAX_KEY_BYTES;
const TERMS_END = TERMS_ADDRESS + 4 * MAX_KEY_BYTES;
/** Chunks that may contain a phrase: 16 bytes each, and 4 per position where it may start. */
const MAX_CANDIDATES = 20_000;
const MAX_STARTS = 262_144;
const CANDIDATES_ADDRESS = alignUp(TERMS_END);
const STARTS_ADDRESS = alignUp(CANDIDATES_ADDRESS + 16 * MAX_CANDIDATES);
const WORDS_ADDRESS = alignUp(STARTS_ADDRESS + 4 * MAX_STARTS);
const DERIVED_ADDRESS = WORDS_ADDRESS + 24 * 2 ** 20;
const BLOCKS_ADDRESS = DERIVED_ADDRESS + 12 * 2 ** 20;

/** Size of the cache of postings; more if one posting list may need it. */
const CACHE_BYTES = 24 * 2 ** 20;
/** Size of a posting that is being read. */
const POSTING_BYTES = 5;
/** More than the size of a posting in a long list of the cache. */
export const MAX_PACKED_BYTES = 4;
/** Size of a chunk in the result of a search: score, id and sum of weights. */
const HIT_BYTES = 8 + 4 + 4;
const MIN_BLOCKS = 4;

/** Memory for the directory of an index, and for its pages. */
export interface IndexArea {
  readonly directoryStart: number;
  readonly pagesStart: number;
  readonly pagesEnd: number;
  /** The user of the memory. */
  owner: object | undefined;
}

/** A page in the memory of the kernel. */
export interface PageInMemory {
  readonly address: number;
  readonly length: number;
}

/** Lengths of chunks, as far as the kernel needs them. */
export type ChunkLengths = Pick<ChunkMetadata, "statistics" | "pageCount" | "revisionOf" | "lengthsOn">;

/** A posting list to add to scores. */
export interface WeightedList {
  readonly address: number;
  readonly count: number;
  readonly weight: number;
  /** How it is added, see scores.as. */
  readonly kind: number;
}

/**
 * Memory of the WebAssembly kernel: lengths of all chunks, pages of the index that are being read, cached postings, and
 * the result of a search.
 *
 * It has 29 bytes per chunk, in blocks of {@linkcode BLOCK_CHUNKS} ids. Pages of memory that are never written take no
 * physical memory: 16 of these bytes are for a search that finds all chunks.
 */
export class IndexMemory {
  readonly #memory = new WebAssembly.Memory({
    initial: Math.ceil(BLOCKS_ADDRESS / PAGE_BYTES),
    maximum: MAX_PAGES,
  });
  /** The kernel that works on this memory. */
  readonly kernel: Kernel;
  /** The whole memory; replaced when it grows. */
  bytes: Uint8Array<ArrayBuffer>;
  /** The same as integers of 32 bits. */
  numbers: Uint32Array<ArrayBuffer>;
  /**
   * Directories of about 24 bytes per page, for 20 million chunks or more, and 8 MiB of pages each. Up to about two million
   * chunks, there is space for filters of 128 bytes per page.
   */
  readonly areas: Record<"words" | "derived", IndexArea> = {
    words: areaAt(WORDS_ADDRESS, 16 * 2 ** 20),
    derived: areaAt(DERIVED_ADDRESS, 4 * 2 ** 20),
  };
  /** The user of the directory that the kernel knows. */
  directory: object | undefined;
  /** Block of each page of chunks, by number of the page. */
  readonly #blocks = new Map<number, number>();
  /** Revision of each page of chunks that has been copied. */
  readonly #revisions: number[] = [];
  /** Capacity, in blocks and in entries of the directory. */
  #maxBlocks = 0;
  #directorySize = 0;
  #averageLength = 0;
  #normCount = 0;
  #maxLength = 0;
  /** Address of the posting list that is being read: ids, then frequencies. */
  scratch = 0;
  /** Maximum number of postings in a posting list. */
  maxPostings = 0;
  /** Address of the hits of a search: scores, ids and weights. */
  #hitsAddress = 0;
  #hits: KernelHits | undefined;
  /** Start and end of the cache of postings. The memory reaches up to its end. */
  cacheStart = 0;
  cacheEnd = 0;

  constructor() {
    this.kernel = linkKernel(this.#memory);
    this.bytes = new Uint8Array(this.#memory.buffer as ArrayBuffer);
    this.numbers = new Uint32Array(this.bytes.buffer);
    this.#layOut(MIN_BLOCKS, MIN_BLOCKS);
  }

  /**
   * Copies the lengths of chunks that were added or removed since the last call.
   *
   * @returns Whether all data was moved, which empties the cache of postings.
   */
  update(chunks: ChunkLengths): boolean {
    const { pageCount } = chunks;
    const changed: number[] = [];
    let blocks = this.#blocks.size;
    for (let number = 0; number < Math.max(pageCount, this.#revisions.length); number++) {
      const revision = number < pageCount ? chunks.revisionOf(number) : 0;
      if (revision === (this.#revisions[number] ?? 0)) continue;
      changed.push(number);
      if (!this.#blocks.has(number)) blocks++;
    }
    const isMoved = blocks > this.#maxBlocks || pageCount > this.#directorySize;
    if (isMoved) {
      const numbers = new Set([...this.#blocks.keys(), ...changed]);
      this.#layOut(
        Math.max(blocks * 3 >> 1, this.#maxBlocks),
        Math.max(pageCount * 3 >> 1, this.#directorySize),
      );
      for (const number of numbers) this.#copyLengths(number, chunks);
    } else {
      for (const number of changed) this.#copyLengths(number, chunks);
    }
    this.#updateNorms(chunks.statistics.averageLength);
    return isMoved;
  }

  #copyLengths(number: number, chunks: ChunkLengths): void {
    let block = this.#blocks.get(number);
    if (block === undefined) {
      block = blocksStart(this.#directorySize) + this.#blocks.size * BLOCK_BYTES;
      this.#blocks.set(number, block);
      new Uint32Array(this.bytes.buffer, BLOCKS_ADDRESS)[number] = block;
    }
    const lengths = chunks.lengthsOn(number);
    new Uint16Array(this.bytes.buffer, block, BLOCK_CHUNKS).set(lengths);
    let maxLength = this.#maxLength;
    for (let at = 0; at < lengths.length; at++) maxLength = Math.max(maxLength, lengths[at] as number);
    this.#maxLength = maxLength;
    // Only now: after a failure, the next update copies the page.
    this.#revisions[number] = chunks.revisionOf(number);
  }

  /** Moves all data per chunk and the cache of postings, which are empty afterwards. */
  #layOut(maxBlocks: number, directorySize: number): void {
    const slots = maxBlocks * BLOCK_CHUNKS;
    const packing = blocksStart(directorySize) + maxBlocks * BLOCK_BYTES;
    // One more than there are chunks; see marks.as.
    const marked = packing + alignUp(8 * directorySize);
    const scratch = marked + alignUp(4 * (slots + 1));
    const hits = scratch + alignUp(POSTING_BYTES * slots);
    const cacheStart = hits + alignUp(HIT_BYTES * slots);
    const cacheEnd = cacheStart + Math.max(CACHE_BYTES, 2 * MAX_PACKED_BYTES * slots);
    this.#detachHits();
    // First, since it fails when memory is short: the old layout remains valid. With the cache, since hits have to be
    // copied when the memory grows.
    this.#reserve(cacheEnd);
    this.#maxBlocks = maxBlocks;
    this.#directorySize = directorySize;
    this.#blocks.clear();
    this.scratch = scratch;
    this.maxPostings = slots;
    this.#hitsAddress = hits;
    this.cacheStart = cacheStart;
    this.cacheEnd = cacheEnd;
    this.bytes.fill(0, BLOCKS_ADDRESS, packing);
    new Uint32Array(this.bytes.buffer, BLOCKS_ADDRESS, directorySize).fill(NO_CHUNKS_ADDRESS);
    this.kernel.setBlocks(BLOCKS_ADDRESS, directorySize, NO_CHUNKS_ADDRESS);
    this.kernel.setPacking(packing);
    this.kernel.setMarks(marked);
    this.kernel.setScores(NORMS_ADDRESS, SCORES_ADDRESS);
  }

  #updateNorms(averageLength: number): void {
    if (averageLength === this.#averageLength && this.#normCount > this.#maxLength) return;
    this.#averageLength = averageLength;
    this.#normCount = this.#maxLength + 1;
    const norms = new Float64Array(this.bytes.buffer, NORMS_ADDRESS, this.#normCount);
    for (let length = 0; length < norms.length; length++) norms[length] = lengthNorm(length, averageLength);
  }

  /** Enlarges the cache of postings to a size. It becomes smaller again with the next layout. */
  reserveCache(bytes: number): void {
    const end = Math.max(this.cacheEnd, this.cacheStart + bytes);
    this.#reserve(end);
    this.cacheEnd = end;
  }

  /** Grows the memory up to an address. */
  #reserve(end: number): void {
    const missing = end - this.bytes.length;
    if (missing <= 0) return;
    this.#detachHits();
    this.#memory.grow(Math.ceil(missing / PAGE_BYTES));
    this.bytes = new Uint8Array(this.#memory.buffer as ArrayBuffer);
    this.numbers = new Uint32Array(this.bytes.buffer);
  }

  /** Writes the key of a term. Returns its length, or undefined if it is longer than any term. */
  writeKey(key: Uint8Array): number | undefined {
    if (key.length > MAX_KEY_BYTES / 2) return undefined;
    this.bytes.set(key, KEY_ADDRESS);
    return key.length;
  }

  /** Address of the key of a term. */
  get key(): number {
    return KEY_ADDRESS;
  }

  /** Address for the results of a call. */
  get results(): number {
    return RESULTS_ADDRESS;
  }

  /** Addresses for the candidates of a phrase. */
  readonly positions = {
    ids: CANDIDATES_ADDRESS,
    table: CANDIDATES_ADDRESS + 4 * MAX_CANDIDATES,
    starts: STARTS_ADDRESS,
    maxStarts: MAX_STARTS,
    maxCandidates: MAX_CANDIDATES,
  };

  /** Address for the numbers of missing pages. */
  get missing(): number {
    return RESULTS_ADDRESS + RESULTS_BYTES / 2;
  }

  /** Copies pages into the memory, where they remain until the next call. A page may be null. */
  stageNext(pages: readonly (Uint8Array | null)[]): PageInMemory[] {
    let next = NEXT_PAGES_ADDRESS;
    const staged = pages.map((page) => {
      const length = page?.length ?? 0;
      if (next + length > NEXT_PAGES_ADDRESS + MAX_STAGED_BYTES) {
        throw new IndexDamagedError("The pages of the full-text index are too large");
      }
      if (page) this.bytes.set(page, next);
      const address = next;
      next += length;
      return { address, length };
    });
    this.bytes.fill(0, next, next + ZERO_BYTES);
    return staged;
  }

  /**
   * Calls `visit` for each term with a prefix on a page.
   *
   * @param keyLength Length of the prefix, as {@linkcode writeKey} returned it.
   * @param visit Receives the term. Returns false to stop.
   * @returns Whether to continue with the next page.
   * @throws {IndexDamagedError} If the page is damaged.
   */
  visitTerms(page: PageInMemory, keyLength: number, visit: (term: string) => unknown): boolean {
    const { kernel, bytes } = this;
    let written = kernel.startScan(page.address, page.length, TERM_ADDRESS);
    for (;;) {
      if (written !== DAMAGED) written = kernel.scanTerms(KEY_ADDRESS, keyLength, TERMS_ADDRESS, TERMS_END);
      requireIntact(written);
      if (written === 0) return true;
      for (const term of decodeTerms(bytes.subarray(TERMS_ADDRESS, TERMS_ADDRESS + written))) {
        if (visit(term) === false) return false;
      }
    }
  }

  /** Writes posting lists for `addLists` and `countMissing`. Returns their address. */
  writeLists(lists: readonly WeightedList[]): number {
    if (lists.length > MAX_LISTS) {
      throw new RangeError(
        `Cannot search: the query must have at most ${MAX_LISTS} terms, got ${lists.length}`,
      );
    }
    const { buffer } = this.bytes;
    const integers = new Uint32Array(buffer, LISTS_ADDRESS, lists.length * LIST_BYTES / 4);
    const floats = new Float64Array(buffer, LISTS_ADDRESS, lists.length * LIST_BYTES / 8);
    for (let n = 0; n < lists.length; n++) {
      const { address, count, weight, kind } = lists[n] as WeightedList;
      integers[6 * n] = address;
      integers[6 * n + 1] = count;
      floats[3 * n + 1] = weight;
      integers[6 * n + 4] = kind;
    }
    return LISTS_ADDRESS;
  }

  /** Adds posting lists. The hits are in this memory until they are released, or others need it. */
  addLists(lists: readonly WeightedList[]): KernelHits {
    this.#detachHits();
    const scores = this.#hitsAddress;
    const ids = scores + 8 * this.maxPostings;
    const weights = ids + 4 * this.maxPostings;
    const count = this.kernel.addLists(this.writeLists(lists), lists.length, ids, scores, weights);
    const { buffer } = this.bytes;
    return this.#hits = new KernelHits({
      ids: new Uint32Array(buffer, ids, count),
      scores: new Float64Array(buffer, scores, count),
      weights: new Float32Array(buffer, weights, count),
    }, this);
  }

  /** Releases hits that nothing reads any more. */
  releaseHits(hits: unknown): void {
    if (this.#hits === hits) this.#hits = undefined;
  }

  #detachHits(): void {
    this.#hits?.detach();
    this.#hits = undefined;
  }
}

/** Returns terms in UTF-8, each after its length in 16 bits. Decoding them one by one takes longer. */
function decodeTerms(bytes: Uint8Array): string[] {
  const text = decoder.decode(bytes);
  // No byte becomes several UTF-16 code units, and each byte of ASCII one: other terms only shorten the text.
  const isAligned = text.length === bytes.length;
  const terms: string[] = [];
  for (let at = 0; at < bytes.length;) {
    const start = at + 2;
    at = start + ((bytes[at] as number) | (bytes[at + 1] as number) << 8);
    terms.push(isAligned ? text.slice(start, at) : decoder.decode(bytes.subarray(start, at)));
  }
  return terms;
}

function areaAt(start: number, directoryBytes: number): IndexArea {
  const pagesStart = start + directoryBytes;
  return { directoryStart: start, pagesStart, pagesEnd: pagesStart + 8 * 2 ** 20, owner: undefined };
}

function alignUp(address: number): number {
  return Math.ceil(address / 64) * 64;
}

/** Returns the address of the first block, after the directory. */
function blocksStart(directorySize: number): number {
  return alignUp(BLOCKS_ADDRESS + 4 * directorySize);
}
