import { type Bitset, hasId, type TopK } from "../../../data_structures/mod.ts";
import { roundVector } from "./round.ts";
import { WASM } from "./scan_wasm.ts";

/** Most dimensions that a vector may have. */
export const MAX_DIMENSIONS = 16_384;

const PAGE = 65_536;
/** The most that 32-bit addresses reach. */
const MAX_PAGES = 65_536;

// What the first page holds: the query, then row numbers, then their scores; the rows come after it.
/** Four float32 values at the end of a row and of the query: see scan.wat. */
const TRAILER = 16;
/** Rows that one call of the scan scores. */
const BATCH = 2048;
const LIST = 2 * MAX_DIMENSIONS + TRAILER;
const SCORES = LIST + 4 * BATCH;
const ROWS = PAGE;

/** Largest number of a row: what an i8 holds on both sides of 0. */
const ROW_MOST = 127;
/** A Map takes up to 56 bytes for an entry, and some more while it grows. */
const MAP_BYTES = 64;
/** Most entries of a Map. */
const MAX_ROWS = 2 ** 24;
const LEAST_ROWS = 256;

/**
 * What rounding to float32 in scan.wat, of numbers and of sums of three, may take off a bound: some 16 units of 2^-24 of
 * the product of both lengths. Twice that.
 */
const SLACK = 2 ** -19;

/** The scan's WebAssembly: compiled once in a thread, for all matrices. */
let compiled: WebAssembly.Module | undefined;

type Scan = (
  list: number,
  count: number,
  scores: number,
  rows: number,
  dimensions: number,
  query: number,
) => void;

/**
 * Vectors by id, rounded to 8 bits a number, in memory that is bounded.
 *
 * Rounding a vector v and a query q moves their product by no more than |q|·|v − v'| + |q − q'|·|v'| (Cauchy–Schwarz), so
 * what a row holds besides its numbers bounds the exact product from above. The scan gives that bound: whoever goes
 * through the rows by falling bound can stop, proven right, at the first bound below what has been found.
 */
export class Matrix {
  readonly #dimensions: number;
  /** Dimensions of a row, with zeros up to a multiple of 16. */
  readonly #padded: number;
  readonly #stride: number;
  readonly #memory: WebAssembly.Memory;
  readonly #scan: Scan;
  /** Most rows that the limit allows. */
  #most: number;
  /** Id of each row; 0: the row is free. */
  #ids = new Uint32Array(0);
  readonly #rowOf = new Map<number, number>();
  #free: number[] = [];
  /** Rows that have been used, free ones among them. */
  #used = 0;
  #bytes!: Int8Array<ArrayBuffer>;
  #shorts!: Int16Array<ArrayBuffer>;
  #floats!: Float32Array<ArrayBuffer>;

  /**
   * @param dimensions Of each vector, 1 to {@linkcode MAX_DIMENSIONS}.
   * @param maxBytes Most memory in all; the least that works is the 64 KiB of an empty matrix.
   */
  constructor(dimensions: number, maxBytes: number) {
    this.#dimensions = dimensions;
    this.#padded = Math.ceil(dimensions / 16) * 16;
    this.#stride = this.#padded + TRAILER;
    this.#most = mostRows(this.#stride, maxBytes);
    this.#memory = new WebAssembly.Memory({ initial: 1, maximum: MAX_PAGES });
    compiled ??= new WebAssembly.Module(Uint8Array.fromBase64(WASM));
    const { exports } = new WebAssembly.Instance(compiled, { scan: { memory: this.#memory } });
    this.#scan = exports.scan as Scan;
    this.#view();
  }

  /** Dimensions of each vector. */
  get dimensions(): number {
    return this.#dimensions;
  }

  /** How many vectors there are. */
  get size(): number {
    return this.#rowOf.size;
  }

  /** Memory in bytes. */
  get bytes(): number {
    return this.#memory.buffer.byteLength + this.#ids.byteLength + this.#rowOf.size * MAP_BYTES;
  }

  /** Whether there is room for one vector more. */
  get hasRoom(): boolean {
    return this.size < this.#most;
  }

  /** Whether there is a vector with this id. */
  has(id: number): boolean {
    return this.#rowOf.has(id);
  }

  /** Sets the vector of an id; false: there is no room for it. */
  put(id: number, vector: Float32Array): boolean {
    const row = this.#rowOf.get(id) ?? this.#freeRow();
    if (row === undefined) return false;
    const at = ROWS + row * this.#stride;
    const { scale, error, norm, length } = roundVector(vector, ROW_MOST, this.#bytes, at);
    this.#floats.set([scale, error + SLACK * length, norm], (at + this.#padded) / 4);
    this.#ids[row] = id;
    this.#rowOf.set(id, row);
    return true;
  }

  /** Takes out the vector of an id, if there is one; its room is used again. */
  delete(id: number): void {
    const row = this.#rowOf.get(id);
    if (row === undefined) return;
    this.#rowOf.delete(id);
    this.#ids[row] = 0;
    this.#free.push(row);
  }

  /** Takes out all vectors; the memory is kept, to be used again. */
  clear(): void {
    this.#rowOf.clear();
    this.#free = [];
    this.#used = 0;
  }

  /**
   * Offers each vector's id with the most that its dot product with the query can be.
   *
   * @param query Of the same dimensions.
   * @param allowed Ids that are considered; undefined: all.
   * @returns How many vectors were considered.
   */
  scan(query: Float32Array, allowed: Bitset | undefined, best: TopK): number {
    this.#setQuery(query);
    const ids = this.#ids;
    const list = new Uint32Array(this.#memory.buffer, LIST, BATCH);
    let considered = 0;
    for (let row = 0; row < this.#used;) {
      let count = 0;
      for (; row < this.#used && count < BATCH; row++) {
        const id = ids[row]!;
        if (id !== 0 && (!allowed || hasId(allowed, id))) list[count++] = row;
      }
      considered += count;
      this.#score(count, list, best);
    }
    return considered;
  }

  #score(count: number, list: Uint32Array, best: TopK): void {
    this.#scan(LIST, count, SCORES, ROWS, this.#padded, 0);
    const bounds = new Float32Array(this.#memory.buffer, SCORES, count);
    for (let i = 0; i < count; i++) {
      if (bounds[i]! >= best.threshold) best.offer(this.#ids[list[i]!]!, bounds[i]!);
    }
  }

  #setQuery(query: Float32Array): void {
    // The longest sum of products with a row stays within 32 bits.
    const most = Math.min(32_767, Math.floor((2 ** 31 - 1) / (ROW_MOST * this.#padded)));
    const { scale, error, length } = roundVector(query, most, this.#shorts, 0);
    // The padding needs no zeros here, where that of the rows has them. Each of these is multiplied with its counterpart in a
    // row: scale, error, norm.
    this.#floats.set([scale, length, error, 0], (2 * this.#padded) / 4);
  }

  #freeRow(): number | undefined {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    if (this.#used === this.#ids.length && !this.#grow()) return undefined;
    return this.#used++;
  }

  #grow(): boolean {
    const rows = Math.min(this.#most, Math.max(LEAST_ROWS, Math.ceil(this.#ids.length * 1.5)));
    if (rows <= this.#ids.length) return false;
    const missing = pages(this.#stride, rows) - this.#memory.buffer.byteLength / PAGE;
    try {
      this.#memory.grow(missing);
    } catch {
      // The machine has no more memory, whatever the limit says: this is all there is.
      this.#most = this.#ids.length;
      return false;
    }
    this.#view();
    const ids = new Uint32Array(rows);
    ids.set(this.#ids);
    this.#ids = ids;
    return true;
  }

  /** Growing takes the old buffer away. */
  #view(): void {
    const buffer = this.#memory.buffer as ArrayBuffer;
    this.#bytes = new Int8Array(buffer);
    this.#shorts = new Int16Array(buffer);
    this.#floats = new Float32Array(buffer);
  }
}

function pages(stride: number, rows: number): number {
  return 1 + Math.ceil((rows * stride) / PAGE);
}

function mostRows(stride: number, maxBytes: number): number {
  // The last page may be used by half.
  const byLimit = (maxBytes - 2 * PAGE) / (stride + Uint32Array.BYTES_PER_ELEMENT + MAP_BYTES);
  const byAddress = ((MAX_PAGES - 1) * PAGE) / stride;
  return Math.max(0, Math.floor(Math.min(byLimit, byAddress, MAX_ROWS)));
}
