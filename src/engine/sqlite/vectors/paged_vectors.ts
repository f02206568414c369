import type { DatabaseSync } from "node:sqlite";
import {
  addId,
  type Bitset,
  bitset,
  hasId,
  kthLargest,
  type TopK,
  TopSet,
} from "../../../data_structures/mod.ts";
import {
  all,
  BLOCK_VECTORS,
  type CodeDeviations,
  deletionsAfter,
  PAGE_VECTORS,
  readVectorPage,
  type VectorPage,
  vectorPages,
} from "../store/read_only.ts";
import { scoreVectors } from "./score_vectors.ts";
import { CodePages, type CodeQuery, PAGE_BLOCKS, type PageIndex } from "./code_pages.ts";
import { VectorCache } from "./vector_cache.ts";

/**
 * A candidate is compared while its estimate, plus this many standard deviations of the error, reaches the results. With 2,
 * at least 99.5 % of the nearest vectors are found (docs/decisions/d29).
 */
const DEVIATIONS = 2;

/**
 * The same for candidates whose vectors are cached, whose estimates are from signs only: comparing more of them takes little
 * time.
 */
const CACHED_DEVIATIONS = 2.5;

/** Number of vectors up to which all are compared exactly, as with a selective filter. */
const MAX_EXACT = 1024;

/** Number of blocks of a sample, and the largest share of vectors to keep for which it saves time. */
const SAMPLE_BLOCKS = 128;
const MAX_SAMPLED_SHARE = 0.1;

/** Number of candidates rescored at a time. */
const RESCORE_BATCH = 256;

/** The vectors of a set that have codes, and where they are found. */
export interface PagedSet {
  readonly id: number;
  readonly dimensions: number;
  /** Mean from which the codes were computed. */
  readonly mean: Float32Array;
}

/** Address of the cached vectors of each page. Undefined: they are not cached. */
type CachedPages = readonly (number | undefined)[];

/** Ids, that is positions or sequence numbers, with their scores. */
type Kept = ReturnType<TopSet["kept"]>;

/**
 * Searches the vectors that have codes: estimates all dot products from signs, those of the best candidates from all of
 * their codes, and computes those of the most promising ones from the stored vectors. Pages beyond the memory limit are read
 * by each search, which skips the second step for them.
 */
export class PagedVectors {
  readonly #db: DatabaseSync;
  readonly #set: PagedSet;
  readonly #maxBytes: number;
  readonly #codes: CodePages;
  #cache: VectorCache;
  /** Index of the page whose vectors are cached next. */
  #nextCached = 0;
  #pages: readonly VectorPage[] = [];
  /** Chunks with a vector on a page. */
  #live: Bitset = bitset(0);
  #size = 0;
  #deviations: CodeDeviations = { signs: 0, sizes: 0 };
  /** Sequence numbers of the vectors of pages that are not in memory. */
  readonly #seqs = new Map<number, Uint32Array>();

  /** @param maxBytes Maximum memory for codes, and for as many vectors as fit besides. */
  constructor(db: DatabaseSync, set: PagedSet, maxBytes: number) {
    this.#db = db;
    this.#set = set;
    this.#maxBytes = maxBytes;
    this.#codes = new CodePages(set.mean);
    this.#cache = new VectorCache(db, set);
  }

  /** Number of vectors. */
  get size(): number {
    return this.#size;
  }

  /** Memory in use, in bytes. */
  get bytes(): number {
    const seqs = this.#seqs.size * PAGE_VECTORS * Uint32Array.BYTES_PER_ELEMENT;
    return this.#codes.bytes + this.#cache.bytes + this.#live.byteLength + seqs;
  }

  /** Whether all codes are in memory. */
  get isComplete(): boolean {
    return this.#pages.every(({ id }) => this.#codes.has(id));
  }

  /** Sequence number of the last vector on a page. */
  get lastSeq(): number {
    return this.#pages.at(-1)?.last_seq ?? 0;
  }

  /** Whether a chunk has a vector on a page. */
  has(chunkId: number): boolean {
    return hasId(this.#live, chunkId);
  }

  /** Removes the vector of a deleted chunk. */
  delete(chunkId: number): void {
    if (!this.has(chunkId)) return;
    this.#live[chunkId >>> 3]! &= ~(1 << (chunkId & 7));
    this.#size--;
  }

  /**
   * Loads new pages and removes former ones. Must be called in a transaction.
   *
   * @param onChunk Called for each chunk of a new page.
   * @returns Ranges of sequence numbers, the first one exclusive, whose page is damaged.
   */
  refresh(onChunk: (chunkId: number) => void): (readonly [after: number, last: number])[] {
    const known = new Set(this.#pages.map(({ id }) => id));
    const pages = vectorPages(this.#db, this.#set.id);
    const current = new Set(pages.map(({ id }) => id));
    const damaged: [number, number][] = [];
    // A removed page may have had vectors that now have another place.
    if (this.#pages.some(({ id }) => !current.has(id))) this.#clear(known);
    const added = pages.filter(({ id }) => !known.has(id));
    const readable = new Set(known);
    for (const page of added) {
      if (this.#load(page, onChunk)) readable.add(page.id);
      else damaged.push([pages[pages.indexOf(page) - 1]?.last_seq ?? 0, page.last_seq]);
    }
    this.#pages = pages.filter(({ id }) => readable.has(id));
    this.#deviations = {
      signs: mean(this.#pages.map((page) => page.sign_deviation)),
      sizes: mean(this.#pages.map((page) => page.size_deviation)),
    };
    if (added.length > 0) {
      this.#removeDeleted(Math.min(...added.map((page) => page.last_deletion)));
      this.#limitCache();
    }
    return damaged;
  }

  /**
   * Caches a part of the vectors of one more page, in a millisecond or two.
   *
   * @returns Whether to continue: false if none is left or the memory is used.
   */
  cacheNext(): boolean {
    while (this.#nextCached < this.#pages.length) {
      // Leaves memory for as many codes again.
      const { bytes, nextBytes } = this.#cache;
      if (2 * this.#codes.bytes + bytes + nextBytes > this.#maxBytes) return false;
      const at = this.#nextCached;
      const { id, last_seq: last } = this.#pages[at]!;
      const after = this.#pages[at - 1]?.last_seq ?? 0;
      const isCacheable = this.#codes.has(id) && this.#cache.addressOf(id) === undefined;
      const continues = isCacheable && this.#cache.load({ id, after, last, seqs: this.#codes.seqs(id) });
      if (!continues) this.#nextCached++;
      if (isCacheable) return true;
    }
    return false;
  }

  /**
   * Offers the vectors with the largest dot products.
   *
   * @param top Maximum number of results.
   * @param allowed Ids of the chunks to search. Undefined: all.
   * @returns Number of vectors that `allowed` includes.
   */
  search(query: Float32Array, allowed: Bitset | undefined, top: number, results: TopK): number {
    const filter = allowed ? intersection(this.#live, allowed) : this.#live;
    const passing = allowed ? countIds(filter) : this.#size;
    if (passing === 0) return 0;
    const prepared = this.#codes.prepare(query);
    const capacity = Math.min(passing, Math.max(MAX_EXACT, candidateLimit(top)));
    const expected = this.#expectThreshold(prepared, filter, capacity / passing);
    let candidates = this.#scan(prepared, filter, new TopSet(capacity, expected));
    // The sample was not like the others.
    if (expected !== undefined && !candidates.isFull) {
      candidates = this.#scan(prepared, filter, new TopSet(capacity));
    }
    const isExact = passing <= MAX_EXACT;
    const addresses = this.#pages.map(({ id }) => this.#cache.addressOf(id));
    const { cached, others } = this.#splitByCache(prepared, candidates, { addresses, isExact });
    const fromCache = (positions: Uint32Array) => this.#scoreCached(query, positions, addresses, results);
    this.#rescore(cached, top, results, fromCache);
    // In the order of the table, for the page cache.
    const fromTable = (seqs: Uint32Array) =>
      scoreVectors(this.#db, query, { seqs: seqs.sort() }, (id, score) => results.offer(id, score));
    this.#rescore(this.#refine(prepared, others, isExact), top, results, fromTable);
    return passing;
  }

  /** Offers the positions of all vectors with their dot products as estimated from signs. */
  #scan(query: CodeQuery, allowed: Bitset, candidates: TopSet): TopSet {
    for (const [at, { id }] of this.#pages.entries()) {
      const isLoaded = this.#codes.has(id);
      if (!isLoaded) {
        const bytes = readVectorPage(this.#db, id, this.#set.dimensions);
        // Removed or damaged since the last refresh.
        if (!bytes) continue;
        this.#codes.read(bytes);
      }
      this.#codes.scan(query, isLoaded ? id : undefined, { first: PAGE_VECTORS * at, allowed, candidates });
    }
    return candidates;
  }

  /**
   * Returns an estimate that more vectors than wanted probably reach, judging by blocks at even intervals: the scan then
   * offers a third as many. Undefined: too many are wanted, or pages are read one by one.
   *
   * @param share Share of the vectors that is wanted.
   */
  #expectThreshold(query: CodeQuery, allowed: Bitset, share: number): number | undefined {
    const blocks = PAGE_BLOCKS * this.#pages.length;
    const step = blocks / SAMPLE_BLOCKS;
    if (share > MAX_SAMPLED_SHARE || step < 4 || !this.isComplete) return undefined;
    const estimates = new Float32Array(BLOCK_VECTORS * SAMPLE_BLOCKS);
    let size = 0;
    for (let i = 0; i < SAMPLE_BLOCKS; i++) {
      const block = Math.floor(i * step);
      const page = this.#pages[Math.floor(block / PAGE_BLOCKS)]!.id;
      size = this.#codes.sample(query, page, block % PAGE_BLOCKS, { allowed, estimates, at: size });
    }
    // Vectors of a block are often of one document, so that their number varies.
    const rank = Math.ceil(2 * share * size) + 16;
    return rank < size ? kthLargest(estimates.subarray(0, size), rank) : undefined;
  }

  /** Returns the candidates whose vectors are cached with upper bounds of their dot products, and the others. */
  #splitByCache(
    query: CodeQuery,
    candidates: TopSet,
    { addresses, isExact }: { readonly addresses: CachedPages; readonly isExact: boolean },
  ): { cached: Kept; others: Kept } {
    const tolerance = isExact ? Infinity : CACHED_DEVIATIONS * query.distance * this.#deviations.signs;
    const { ids: positions, scores: estimates } = candidates.kept();
    const cached = { ids: new Uint32Array(positions.length), scores: new Float32Array(positions.length) };
    let [cachedCount, otherCount] = [0, 0];
    for (let i = 0; i < positions.length; i++) {
      const position = positions[i]!;
      if (addresses[Math.floor(position / PAGE_VECTORS)] !== undefined) {
        cached.ids[cachedCount] = position;
        cached.scores[cachedCount++] = estimates[i]! + tolerance;
      } else {
        positions[otherCount] = position;
        estimates[otherCount++] = estimates[i]!;
      }
    }
    return {
      cached: firstOf(cached, cachedCount),
      others: firstOf({ ids: positions, scores: estimates }, otherCount),
    };
  }

  /** Offers the dot products of vectors that are cached. */
  #scoreCached(query: Float32Array, positions: Uint32Array, pages: CachedPages, results: TopK): void {
    for (let from = 0; from < positions.length; from += PAGE_VECTORS) {
      this.#scoreCachedBatch(query, positions.subarray(from, from + PAGE_VECTORS), pages, results);
    }
  }

  #scoreCachedBatch(query: Float32Array, positions: Uint32Array, pages: CachedPages, results: TopK): void {
    const { stride } = this.#cache;
    const addresses = new Uint32Array(positions.length);
    for (let i = 0; i < positions.length; i++) {
      const position = positions[i]!;
      addresses[i] = pages[Math.floor(position / PAGE_VECTORS)]! + stride * (position % PAGE_VECTORS);
    }
    const scores = this.#cache.products(query, addresses, results.threshold);
    for (let i = 0; i < positions.length; i++) {
      const score = scores[i]!;
      if (!(score >= results.threshold)) continue;
      const position = positions[i]!;
      results.offer(this.#codes.chunkIdAt(this.#pageAt(position).id, position % PAGE_VECTORS), score);
    }
  }

  #pageAt(position: number): VectorPage {
    return this.#pages[Math.floor(position / PAGE_VECTORS)]!;
  }

  /** Returns the sequence numbers of candidates with upper bounds of their dot products. */
  #refine(query: CodeQuery, { ids: positions, scores: estimates }: Kept, isExact: boolean): Kept {
    const tolerance = DEVIATIONS * query.distance;
    const bounds = new TopSet(Math.max(1, positions.length));
    const loaded: PageIndex[] = [];
    for (const [i, position] of positions.entries()) {
      const page = this.#pageAt(position).id;
      const index = position % PAGE_VECTORS;
      const seqs = this.#seqs.get(page);
      if (isExact) bounds.offer(seqs?.[index] ?? this.#codes.seqAt(page, index), Infinity);
      else if (seqs) bounds.offer(seqs[index]!, estimates[i]! + tolerance * this.#deviations.signs);
      else loaded.push({ page, index });
    }
    this.#codes.refine(query, loaded, { bounds, tolerance: tolerance * this.#deviations.sizes });
    return bounds.kept();
  }

  /**
   * Offers the dot products of candidates, highest bounds first, until the bounds of all others are below the results.
   *
   * @param score Offers those of a batch.
   */
  #rescore(
    { ids, scores: bounds }: Kept,
    top: number,
    results: TopK,
    score: (batch: Uint32Array) => void,
  ): void {
    const next = new Uint32Array(ids.length);
    let remaining = ids.length;
    for (let size = Math.ceil(1.5 * top);; size = RESCORE_BATCH) {
      const { threshold } = results;
      let end = 0;
      for (let i = 0; i < remaining; i++) {
        if (!(bounds[i]! >= threshold)) continue;
        ids[end] = ids[i]!;
        bounds[end++] = bounds[i]!;
      }
      if (end === 0) return;
      const lowest = end <= size ? -Infinity : kthLargest(bounds.slice(0, end), size);
      let count = 0;
      remaining = 0;
      for (let i = 0; i < end; i++) {
        if (bounds[i]! >= lowest) {
          next[count++] = ids[i]!;
          continue;
        }
        ids[remaining] = ids[i]!;
        bounds[remaining++] = bounds[i]!;
      }
      score(next.subarray(0, count));
    }
  }

  #load(page: VectorPage, onChunk: (chunkId: number) => void): boolean {
    const bytes = readVectorPage(this.#db, page.id, this.#set.dimensions);
    if (!bytes) return false;
    const fits = this.#codes.bytes + this.#codes.pageBytes <= this.#maxBytes &&
      this.#codes.set(page.id, bytes);
    if (!fits) {
      this.#codes.read(bytes);
      this.#seqs.set(page.id, this.#codes.seqs().slice());
    }
    for (const id of this.#codes.chunkIds(fits ? page.id : undefined)) {
      if (id === 0) continue;
      this.#add(id);
      onChunk(id);
    }
    return true;
  }

  #add(chunkId: number): void {
    if (chunkId >>> 3 >= this.#live.length) {
      const grown = bitset(Math.ceil(chunkId * 1.25));
      grown.set(this.#live);
      this.#live = grown;
    }
    if (!this.has(chunkId)) this.#size++;
    addId(this.#live, chunkId);
  }

  /** Removes the chunks deleted since new pages were written. */
  #removeDeleted(lastDeletion: number): void {
    const { ids } = deletionsAfter(this.#db, lastDeletion);
    if (ids) {
      for (const id of ids) this.delete(id);
      return;
    }
    // Entries of the log were pruned.
    this.#live = bitset(0);
    this.#size = 0;
    const rows = all<{ chunk_id: number }>(
      this.#db,
      "SELECT chunk_id FROM chunk_vectors WHERE set_id = ? AND seq <= ?",
      this.#set.id,
      this.lastSeq,
    );
    for (const { chunk_id } of rows) this.#add(chunk_id);
  }

  /** Empties the cache, once it takes memory that codes need, which save more time. */
  #limitCache(): void {
    this.#nextCached = 0;
    if (this.#codes.bytes + this.#cache.bytes <= this.#maxBytes) return;
    this.#cache = new VectorCache(this.#db, this.#set);
  }

  #clear(known: Set<number>): void {
    for (const id of known) this.#codes.delete(id);
    this.#cache = new VectorCache(this.#db, this.#set);
    this.#seqs.clear();
    known.clear();
    this.#live = bitset(0);
    this.#size = 0;
  }
}

/**
 * Returns the number of candidates to keep: enough for {@linkcode DEVIATIONS} on real vectors, where the results of a
 * longer list are closer to each other.
 */
function candidateLimit(top: number): number {
  return 4 * top + Math.ceil(128 * Math.sqrt(top));
}

function firstOf({ ids, scores }: Kept, count: number): Kept {
  return { ids: ids.subarray(0, count), scores: scores.subarray(0, count) };
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0) / Math.max(1, numbers.length);
}

function intersection(a: Bitset, b: Bitset): Bitset {
  const common = new Uint8Array(Math.min(a.length, b.length));
  for (let i = 0; i < common.length; i++) common[i] = a[i]! & b[i]!;
  return common;
}

/** Number of bits of each byte. */
const BITS = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll("0", "").length);

function countIds(set: Bitset): number {
  let ids = 0;
  for (let i = 0; i < set.length; i++) ids += BITS[set[i]!]!;
  return ids;
}
