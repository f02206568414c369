import type { DatabaseSync } from "node:sqlite";
import { first, PAGE_VECTORS, storedVectorBytes } from "../store/read_only.ts";
import { DotProductKernel, firstAddress } from "./stored_dot_products.ts";

/** A page of codes, whose vectors can be cached. */
export interface CacheablePage {
  readonly id: number;
  /** Sequence number of the last vector before the page. */
  readonly after: number;
  readonly last: number;
  /** Sequence numbers of its vectors by index; 0 for unused slots. */
  readonly seqs: Uint32Array;
}

/** Number of steps in which the vectors of a page are read: searches wait for the current one. */
const STEPS = 4;

/**
 * Keeps stored vectors in memory, page by page, since SQLite takes ten times longer to find a vector than it takes to
 * compare it. Its memory does not shrink.
 */
export class VectorCache {
  readonly #db: DatabaseSync;
  readonly #setId: number;
  /** Has the vectors in its memory; created with the first page. */
  #kernel: DotProductKernel | undefined;
  /** Size of a vector, in bytes. */
  readonly stride: number;
  readonly #firstPage: number;
  /** Address of the first vector of each page. */
  readonly #addresses = new Map<number, number>();
  /** The page of which some steps are done. */
  #partial: { readonly id: number; readonly steps: number } | undefined;

  constructor(db: DatabaseSync, { id, dimensions }: { readonly id: number; readonly dimensions: number }) {
    this.#db = db;
    this.#setId = id;
    this.stride = storedVectorBytes(dimensions);
    this.#firstPage = firstAddress(dimensions, PAGE_VECTORS);
  }

  /** Memory in use, in bytes. */
  get bytes(): number {
    return this.#kernel?.bytes ?? 0;
  }

  /** Size of the vectors of a page, in bytes. */
  get pageBytes(): number {
    return PAGE_VECTORS * this.stride;
  }

  /** Memory that the next step needs, in bytes: the first one of a page allocates it. */
  get nextBytes(): number {
    return this.#partial ? 0 : this.pageBytes;
  }

  /** Returns the address of the vectors of a page. Undefined: they are not cached. */
  addressOf(page: number): number | undefined {
    return this.#addresses.get(page);
  }

  /**
   * Reads a part of the vectors of a page, in a millisecond or two. Those deleted meanwhile are omitted: no search compares
   * them. Pages with vectors of older versions, which have another size, are not cached.
   *
   * @returns Whether the page needs more calls before it is cached.
   */
  load({ id, after, last, seqs }: CacheablePage): boolean {
    const stride = this.stride;
    const steps = this.#partial?.id === id ? this.#partial.steps : 0;
    this.#partial = undefined;
    const lastOf = (step: number) => after + Math.floor((last - after) * step / STEPS);
    const [from, to] = [lastOf(steps), lastOf(steps + 1)];
    // One row in place of thousands, as in scoreVectors.
    const { others, found, vectors } = first<PageVectors>(
      this.#db,
      `SELECT count(*) FILTER (WHERE length(vector) NOT IN (0, ${stride})) AS others,
              group_concat(seq) FILTER (WHERE length(vector) > 0) AS found,
              CAST(group_concat(vector, '') AS BLOB) AS vectors
         FROM (SELECT seq, vector FROM chunk_vectors NOT INDEXED
                WHERE seq > ? AND seq <= ? AND set_id = ? ORDER BY seq)`,
      from,
      to,
      this.#setId,
    )!;
    if (others > 0) return false;
    const address = this.#firstPage + this.#addresses.size * this.pageBytes;
    let page: Uint8Array;
    try {
      this.#kernel ??= new DotProductKernel();
      page = this.#kernel.view(address, this.pageBytes);
    } catch (error) {
      // The system is out of memory.
      if (error instanceof RangeError) return false;
      throw error;
    }
    const indexes = new Map<number, number>();
    for (const [index, seq] of seqs.entries()) if (seq > from && seq <= to) indexes.set(seq, index);
    for (const [at, seq] of (found?.split(",") ?? []).entries()) {
      const index = indexes.get(Number(seq));
      if (index !== undefined) page.set(vectors!.subarray(stride * at, stride * (at + 1)), stride * index);
    }
    if (steps + 1 < STEPS) {
      this.#partial = { id, steps: steps + 1 };
      return true;
    }
    this.#addresses.set(id, address);
    return false;
  }

  /**
   * Returns the dot products of a query and cached vectors, which are equal to those of `scoreVectors`, until the next
   * call.
   *
   * @param addresses Address of each vector: that of its page, plus its index times {@linkcode VectorCache.stride}. At most
   * as many as a page has.
   * @param threshold Products below are of no interest, and may be `NaN`.
   */
  products(query: Float32Array, addresses: Uint32Array, threshold: number): Float64Array {
    return this.#kernel!.products(query, addresses, threshold);
  }
}

interface PageVectors {
  readonly others: number;
  /** Sequence numbers of the vectors. */
  readonly found: string | null;
  readonly vectors: Uint8Array<ArrayBuffer> | null;
}
