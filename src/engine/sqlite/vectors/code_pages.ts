import { type Bitset, hasId, type TopSet } from "../../../data_structures/mod.ts";
import {
  BLOCK_VECTORS,
  codeOffset,
  type CodePageLayout,
  codePageLayout,
  dotProduct,
  PAGE_VECTORS,
  shiftOf,
} from "../store/read_only.ts";
import { WASM } from "./code_scan_wasm.ts";

/** Size of a page of WebAssembly memory. */
const WASM_PAGE_BYTES = 65_536;
/** Maximum size of a memory with 32-bit addresses. */
const MAX_WASM_PAGES = 65_536;
/**
 * Largest value of an entry of a table, and of a sum of entries. The errors of entries rounded to 5 bits are a tenth of
 * those of signs.
 */
const MAX_ENTRY = 31;
const MAX_SUM = 65_535;

/** The compiled scan, shared by all instances of a thread. */
let compiled: WebAssembly.Module | undefined;

/** Number of blocks of a page. */
export const PAGE_BLOCKS = PAGE_VECTORS / BLOCK_VECTORS;

type Scan = (
  codes: number,
  factors: number,
  offsets: number,
  table: number,
  segments: number,
  blocks: number,
  scores: number,
  list: number,
  step: number,
  bias: number,
  threshold: number,
) => number;

type Refine = (
  list: number,
  count: number,
  table: number,
  segments: number,
  toSizes: number,
  sums: number,
) => void;

/** A memory as numbers of 32 bits. */
interface MemoryViews {
  readonly integers: Uint32Array;
  readonly numbers: Float32Array;
}

/** A query, prepared for the scan of any number of pages. */
export interface CodeQuery {
  /** Part of each dot product that does not depend on the code. */
  readonly base: number;
  /** The query relative to the mean, with zeros up to a multiple of four dimensions. */
  readonly centered: Float32Array;
  readonly step: number;
  readonly bias: number;
  /** Distance of the query from the mean, by which the errors of estimates grow. */
  readonly distance: number;
}

/** A vector of a page. */
export interface PageIndex {
  /** Id of the page. */
  readonly page: number;
  readonly index: number;
}

/** Pages of codes in memory, and one that changes, into which others are read. */
export class CodePages {
  readonly #mean: Float32Array;
  readonly #layout: CodePageLayout;
  readonly #memory: WebAssembly.Memory;
  readonly #scan: Scan;
  readonly #refine: Refine;
  /** Addresses in the memory. */
  readonly #sizeTable: number;
  readonly #list: number;
  readonly #scores: number;
  readonly #firstPage: number;
  /** Slot of each page in memory. The first slot is that of pages that are read for one scan. */
  readonly #slots = new Map<number, number>();
  #freeSlots: number[] = [];
  #memoryViews: MemoryViews | undefined;
  #slotCount = 1;

  /** @param mean Mean of the set, from which the codes were computed. */
  constructor(mean: Float32Array) {
    this.#mean = mean;
    this.#layout = codePageLayout(mean.length);
    const { segments } = this.#layout;
    this.#sizeTable = 16 * segments;
    this.#list = this.#sizeTable + 1024 * segments;
    this.#scores = this.#list + 8 * PAGE_VECTORS;
    const end = this.#scores + 4 * PAGE_VECTORS;
    this.#firstPage = Math.ceil(end / 16) * 16;
    this.#memory = new WebAssembly.Memory({ initial: this.#wasmPages(1), maximum: MAX_WASM_PAGES });
    compiled ??= new WebAssembly.Module(Uint8Array.fromBase64(WASM));
    const { exports } = new WebAssembly.Instance(compiled, { scan: { memory: this.#memory } });
    this.#scan = exports.scan as Scan;
    this.#refine = exports.refine as Refine;
  }

  /** Memory in use, in bytes. */
  get bytes(): number {
    return this.#memory.buffer.byteLength;
  }

  /** Size of a page, in bytes. */
  get pageBytes(): number {
    return this.#layout.bytes;
  }

  /** Ids of the pages in memory. */
  get loaded(): Iterable<number> {
    return this.#slots.keys();
  }

  /** Whether a page is in memory. */
  has(page: number): boolean {
    return this.#slots.has(page);
  }

  /** Keeps a page in memory. Returns false if the system is out of memory. */
  set(page: number, bytes: Uint8Array): boolean {
    const slot = this.#slots.get(page) ?? this.#freeSlots.pop() ?? this.#slotCount;
    if (slot === this.#slotCount) {
      const missing = this.#wasmPages(slot + 1) - this.#memory.buffer.byteLength / WASM_PAGE_BYTES;
      try {
        if (missing > 0) this.#memory.grow(missing);
        // Its buffer is another one now.
        this.#memoryViews = undefined;
      } catch {
        return false;
      }
      this.#slotCount++;
    }
    this.#slots.set(page, slot);
    this.#write(slot, bytes);
    return true;
  }

  /** Frees the memory of a page for others. */
  delete(page: number): void {
    const slot = this.#slots.get(page);
    if (slot === undefined) return;
    this.#slots.delete(page);
    this.#freeSlots.push(slot);
  }

  /** Returns the ids of the chunks of a page in memory, or of the page that was read last; 0 for unused ones. */
  chunkIds(page?: number): Uint32Array {
    return new Uint32Array(this.#memory.buffer, this.#address(page) + this.#layout.ids, PAGE_VECTORS);
  }

  /** Writes a page into the slot for one scan. */
  read(bytes: Uint8Array): void {
    this.#write(0, bytes);
  }

  /** Writes the table of a query for scans, and returns its other values. */
  prepare(query: Float32Array): CodeQuery {
    const mean = this.#mean;
    const { segments } = this.#layout;
    const centered = new Float32Array(4 * segments);
    for (let i = 0; i < mean.length; i++) centered[i] = query[i]! - mean[i]!;
    let bias = 0;
    let largest = 0;
    for (let segment = 0; segment < segments; segment++) {
      const sum = absoluteSum(centered, segment);
      bias += sum;
      largest = Math.max(largest, sum);
    }
    const maxEntry = Math.min(MAX_ENTRY, Math.floor(MAX_SUM / segments));
    const step = 2 * largest / maxEntry;
    const table = new Uint8Array(this.#memory.buffer, 0, 16 * segments);
    for (let segment = 0; segment < segments; segment++) {
      const minimum = -absoluteSum(centered, segment);
      for (let bits = 0; bits < 16; bits++) {
        let sum = 0;
        for (let i = 0; i < 4; i++) sum += (bits >> i & 1 ? 1 : -1) * centered[4 * segment + i]!;
        table[16 * segment + bits] = step === 0 ? 0 : Math.round((sum - minimum) / step);
      }
    }
    const base = dotProduct(query, mean) - dotProduct(mean, mean);
    const distance = Math.sqrt(dotProduct(centered, centered));
    return { base, centered, step, bias, distance };
  }

  /**
   * Offers the sequence numbers of vectors of pages in memory, with their dot products as estimated from all of their
   * codes.
   *
   * @param tolerance Added to the estimates.
   */
  refine(
    { base, centered }: CodeQuery,
    vectors: readonly PageIndex[],
    { bounds, tolerance }: { readonly bounds: TopSet; readonly tolerance: number },
  ): void {
    if (vectors.length === 0) return;
    const { signs, sizes, sizeFactors, offsets, seqs, segments } = this.#layout;
    const { integers, numbers } = this.#views();
    this.#writeSizeTable(centered);
    for (let from = 0; from < vectors.length; from += PAGE_VECTORS) {
      const count = Math.min(PAGE_VECTORS, vectors.length - from);
      for (let i = 0, at = this.#list / 4; i < count; i++) {
        const { page, index } = vectors[from + i]!;
        integers[at++] = this.#address(page) + signs + codeOffset(index, segments);
        integers[at++] = shiftOf(index);
      }
      // The kernel reads four at a time.
      integers.copyWithin(this.#list / 4 + 2 * count, this.#list / 4, this.#list / 4 + 6);
      const padded = 4 * Math.ceil(count / 4);
      this.#refine(this.#list, padded, this.#sizeTable, segments, sizes - signs, this.#scores);
      for (let i = 0; i < count; i++) {
        const { page, index } = vectors[from + i]!;
        const at = this.#address(page) / 4 + index;
        const estimate = numbers[sizeFactors / 4 + at]! * numbers[this.#scores / 4 + i]! +
          numbers[offsets / 4 + at]! + base;
        bounds.offer(integers[seqs / 4 + at]!, estimate + tolerance);
      }
    }
  }

  /** Returns the sequence number of a vector of a page in memory. */
  seqAt(page: number, index: number): number {
    return this.#views().integers[(this.#address(page) + this.#layout.seqs) / 4 + index]!;
  }

  /** Returns the id of the chunk of a vector of a page in memory. */
  chunkIdAt(page: number, index: number): number {
    return this.#views().integers[(this.#address(page) + this.#layout.ids) / 4 + index]!;
  }

  /** Returns the sequence numbers of a page in memory, or of the page that was read last; 0 for unused ones. */
  seqs(page?: number): Uint32Array {
    return new Uint32Array(this.#memory.buffer, this.#address(page) + this.#layout.seqs, PAGE_VECTORS);
  }

  /**
   * Offers the positions of vectors with their dot products as estimated from signs.
   *
   * @param page Id of a page in memory. Undefined: the page that was read last.
   * @param options.first Position of the first vector of the page.
   * @param options.allowed Ids of the chunks to offer.
   */
  scan(
    query: CodeQuery,
    page: number | undefined,
    { first, allowed, candidates }: {
      readonly first: number;
      readonly allowed: Bitset;
      readonly candidates: TopSet;
    },
  ): void {
    const address = this.#address(page);
    const count = this.#scanBlocks(query, address, PAGE_BLOCKS, candidates.threshold);
    const { integers, numbers } = this.#views();
    const chunkIds = (address + this.#layout.ids) / 4;
    for (let at = this.#list / 4, end = at + 2 * count; at < end; at += 2) {
      const index = integers[at]!;
      // Unused places have the id 0, which no set contains.
      if (!hasId(allowed, integers[chunkIds + index]!)) continue;
      candidates.offer(first + index, numbers[at + 1]! + query.base);
    }
  }

  /**
   * Writes the dot products of the vectors of a block, as estimated from signs.
   *
   * @param page Id of a page in memory.
   * @param options.allowed Ids of the chunks of interest.
   * @param options.at Index of the first number to write.
   * @returns Index after the last number that was written.
   */
  sample(
    query: CodeQuery,
    page: number,
    block: number,
    { allowed, estimates, at }: {
      readonly allowed: Bitset;
      readonly estimates: Float32Array;
      readonly at: number;
    },
  ): number {
    const { ids } = this.#layout;
    const address = this.#address(page);
    this.#scanBlocks(query, address, 1, Infinity, block);
    const { integers, numbers } = this.#views();
    const chunkIds = (address + ids) / 4 + BLOCK_VECTORS * block;
    let end = at;
    for (let i = 0; i < BLOCK_VECTORS; i++) {
      if (!hasId(allowed, integers[chunkIds + i]!)) continue;
      estimates[end++] = numbers[this.#scores / 4 + i]! + query.base;
    }
    return end;
  }

  /** Lists the vectors of some blocks of a page with at least an estimate, and returns their number. */
  #scanBlocks(
    query: CodeQuery,
    address: number,
    blocks: number,
    threshold: number,
    first = 0,
  ): number {
    const { signs, signFactors, offsets, segments } = this.#layout;
    const numbers = 4 * BLOCK_VECTORS * first;
    return this.#scan(
      address + signs + 16 * segments * first,
      address + signFactors + numbers,
      address + offsets + numbers,
      0,
      segments,
      blocks,
      this.#scores,
      this.#list,
      query.step,
      query.bias,
      threshold - query.base,
    );
  }

  /** Writes the sums of a query for each code of four dimensions: the signs in the lower half, the sizes in the upper one. */
  #writeSizeTable(centered: Float32Array): void {
    const table = new Float32Array(this.#memory.buffer, this.#sizeTable, 64 * centered.length);
    for (let segment = 0; segment < centered.length / 4; segment++) {
      const at = 256 * segment;
      let sum = 0;
      for (let i = 0; i < 4; i++) sum -= 0.5 * centered[4 * segment + i]!;
      table[at] = sum;
      // Each code is one without its lowest bit, and the difference that this bit makes.
      for (let code = 1; code < 256; code++) {
        const bit = 31 - Math.clz32(code & -code);
        const value = centered[4 * segment + (bit & 3)]!;
        const isLarge = code >> bit + 4 & 1;
        table[at + code] = table[at + (code & code - 1)]! + (bit >= 4 ? -value : isLarge ? 3 * value : value);
      }
    }
  }

  /** Returns the memory as numbers. Kept, because a search calls this once per vector, and `buffer` takes 0.1 µs. */
  #views(): MemoryViews {
    if (this.#memoryViews) return this.#memoryViews;
    const { buffer } = this.#memory;
    return this.#memoryViews = { integers: new Uint32Array(buffer), numbers: new Float32Array(buffer) };
  }

  #write(slot: number, bytes: Uint8Array): void {
    new Uint8Array(this.#memory.buffer, this.#firstPage + slot * this.pageBytes, this.pageBytes).set(bytes);
  }

  #address(page: number | undefined): number {
    return this.#firstPage + (page === undefined ? 0 : this.#slots.get(page)!) * this.pageBytes;
  }

  #wasmPages(slots: number): number {
    return Math.ceil((this.#firstPage + slots * this.#layout.bytes) / WASM_PAGE_BYTES);
  }
}

/** Returns the sum of the absolute values of a group of four dimensions. */
function absoluteSum(vector: Float32Array, segment: number): number {
  let sum = 0;
  for (let i = 4 * segment; i < Math.min(vector.length, 4 * segment + 4); i++) sum += Math.abs(vector[i]!);
  return sum;
}
