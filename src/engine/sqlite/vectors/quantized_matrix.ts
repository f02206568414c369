import { type Bitset, hasId, type TopK } from "../../../data_structures/mod.ts";
import { quantize } from "./quantize.ts";
import { WASM } from "./scan_wasm.ts";

/** Maximum number of dimensions of a vector. */
export const MAX_DIMENSIONS = 16_384;

/** Size of a page of WebAssembly memory. */
const PAGE_BYTES = 65_536;
/** Maximum size of a memory with 32-bit addresses. */
const MAX_PAGES = 65_536;

// The first page holds the query, the row numbers of a batch and their scores. The rows follow.
/** Four float32 values at the end of a row and of the query; see scan.wat. */
const TRAILER_BYTES = 16;
/** Number of rows that one call of the scan scores. */
const BATCH_ROWS = 2048;
const LIST_ADDRESS = 2 * MAX_DIMENSIONS + TRAILER_BYTES;
const SCORES_ADDRESS = LIST_ADDRESS + 4 * BATCH_ROWS;
const ROWS_ADDRESS = PAGE_BYTES;

/** Largest quantized value of a row, which is symmetric around 0 in an i8. */
const MAX_ROW_VALUE = 127;
/** Upper estimate of the memory for an entry of a Map: up to 56 bytes, and more while it grows. */
const MAP_ENTRY_BYTES = 64;
/** Maximum number of entries of a Map. */
const MAX_MAP_ENTRIES = 2 ** 24;
const MIN_ROWS = 256;

/**
 * Relative to the product of both lengths: the float32 arithmetic of scan.wat can lower a bound by about 16
 * ulps of 2^-24. This is twice as much.
 */
const FLOAT32_SLACK = 2 ** -19;

/** The compiled scan, shared by all matrices of a thread. */
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
 * Stores vectors by id, quantized to 8 bits per dimension, within a memory limit.
 *
 * Quantizing a vector v and a query q changes their dot product by at most |q|·|v − v'| + |q − q'|·|v'|
 * (Cauchy–Schwarz). Each row stores the lengths in this formula, so that a scan yields an upper bound of each
 * exact product. A caller that visits rows by descending bound can stop at the first bound below its results
 * so far, which are then exact.
 */
export class QuantizedMatrix {
  readonly #dimensions: number;
  /** Dimensions of a row, padded with zeros to a multiple of 16. */
  readonly #paddedDimensions: number;
  readonly #rowBytes: number;
  readonly #memory: WebAssembly.Memory;
  readonly #scan: Scan;
  #maxRows: number;
  /** Id of each row; 0 for a free row. */
  #ids = new Uint32Array(0);
  readonly #rowOf = new Map<number, number>();
  #freeRows: number[] = [];
  /** Number of rows in use, including free ones between them. */
  #usedRows = 0;
  #int8s!: Int8Array<ArrayBuffer>;
  #int16s!: Int16Array<ArrayBuffer>;
  #float32s!: Float32Array<ArrayBuffer>;

  /**
   * @param dimensions Dimensions of each vector, 1 to {@linkcode MAX_DIMENSIONS}.
   * @param maxBytes Maximum memory. An empty matrix needs 64 KiB, whatever the limit.
   */
  constructor(dimensions: number, maxBytes: number) {
    this.#dimensions = dimensions;
    this.#paddedDimensions = Math.ceil(dimensions / 16) * 16;
    this.#rowBytes = this.#paddedDimensions + TRAILER_BYTES;
    this.#maxRows = maxRows(this.#rowBytes, maxBytes);
    this.#memory = new WebAssembly.Memory({ initial: 1, maximum: MAX_PAGES });
    compiled ??= new WebAssembly.Module(Uint8Array.fromBase64(WASM));
    const { exports } = new WebAssembly.Instance(compiled, { scan: { memory: this.#memory } });
    this.#scan = exports.scan as Scan;
    this.#createViews();
  }

  /** Dimensions of each vector. */
  get dimensions(): number {
    return this.#dimensions;
  }

  /** Number of vectors. */
  get size(): number {
    return this.#rowOf.size;
  }

  /** Memory in use, in bytes. */
  get bytes(): number {
    return this.#memory.buffer.byteLength + this.#ids.byteLength + this.#rowOf.size * MAP_ENTRY_BYTES;
  }

  /** Whether the memory limit allows no further vector. */
  get isFull(): boolean {
    return this.size >= this.#maxRows;
  }

  /** Whether an id has a vector. */
  has(id: number): boolean {
    return this.#rowOf.has(id);
  }

  /** Adds or replaces the vector of an id. Returns false if the id is new and the matrix is full. */
  set(id: number, vector: Float32Array): boolean {
    const row = this.#rowOf.get(id) ?? this.#allocateRow();
    if (row === undefined) return false;
    const address = ROWS_ADDRESS + row * this.#rowBytes;
    const { scale, error, norm, length } = quantize(vector, MAX_ROW_VALUE, this.#int8s, address);
    this.#float32s.set([scale, error + FLOAT32_SLACK * length, norm], (address + this.#paddedDimensions) / 4);
    this.#ids[row] = id;
    this.#rowOf.set(id, row);
    return true;
  }

  /** Removes the vector of an id, if it has one. The row is reused. */
  delete(id: number): void {
    const row = this.#rowOf.get(id);
    if (row === undefined) return;
    this.#rowOf.delete(id);
    this.#ids[row] = 0;
    this.#freeRows.push(row);
  }

  /** Removes all vectors. Keeps the memory for new ones. */
  clear(): void {
    this.#rowOf.clear();
    this.#freeRows = [];
    this.#usedRows = 0;
  }

  /**
   * Offers the id of each vector with the upper bound of its dot product with the query.
   *
   * @param query Must have the dimensions of the matrix.
   * @param allowed Ids to scan. Undefined: all.
   * @param threshold Bounds below it are not offered.
   * @returns Number of vectors scanned.
   */
  scan(
    query: Float32Array,
    allowed: Bitset | undefined,
    candidates: TopK,
    threshold = -Infinity,
  ): number {
    this.#writeQuery(query);
    const ids = this.#ids;
    const list = new Uint32Array(this.#memory.buffer, LIST_ADDRESS, BATCH_ROWS);
    let scanned = 0;
    for (let row = 0; row < this.#usedRows;) {
      let count = 0;
      for (; row < this.#usedRows && count < BATCH_ROWS; row++) {
        const id = ids[row]!;
        if (id !== 0 && (!allowed || hasId(allowed, id))) list[count++] = row;
      }
      scanned += count;
      this.#scoreRows(list.subarray(0, count), candidates, threshold);
    }
    return scanned;
  }

  #scoreRows(rows: Uint32Array, candidates: TopK, threshold: number): void {
    this.#scan(LIST_ADDRESS, rows.length, SCORES_ADDRESS, ROWS_ADDRESS, this.#paddedDimensions, 0);
    const bounds = new Float32Array(this.#memory.buffer, SCORES_ADDRESS, rows.length);
    for (let i = 0; i < rows.length; i++) {
      const bound = bounds[i]!;
      if (bound >= threshold && bound >= candidates.threshold) candidates.offer(this.#ids[rows[i]!]!, bound);
    }
  }

  #writeQuery(query: Float32Array): void {
    // Keeps the sum of products with a row within 32 bits.
    const maxValue = Math.min(
      32_767,
      Math.floor((2 ** 31 - 1) / (MAX_ROW_VALUE * this.#paddedDimensions)),
    );
    const { scale, error, length } = quantize(query, maxValue, this.#int16s, 0);
    // Each factor multiplies its counterpart in a row: scale, error, norm. Padding may have any value, since
    // that of rows is 0.
    this.#float32s.set([scale, length, error, 0], (2 * this.#paddedDimensions) / 4);
  }

  #allocateRow(): number | undefined {
    const free = this.#freeRows.pop();
    if (free !== undefined) return free;
    if (this.#usedRows === this.#ids.length && !this.#grow()) return undefined;
    return this.#usedRows++;
  }

  #grow(): boolean {
    const rows = Math.min(this.#maxRows, Math.max(MIN_ROWS, Math.ceil(this.#ids.length * 1.5)));
    if (rows <= this.#ids.length) return false;
    const missingPages = pagesFor(this.#rowBytes, rows) - this.#memory.buffer.byteLength / PAGE_BYTES;
    try {
      this.#memory.grow(missingPages);
    } catch {
      // The system is out of memory.
      this.#maxRows = this.#ids.length;
      return false;
    }
    this.#createViews();
    const ids = new Uint32Array(rows);
    ids.set(this.#ids);
    this.#ids = ids;
    return true;
  }

  /** Must be called after each growth, which detaches the buffer. */
  #createViews(): void {
    const buffer = this.#memory.buffer as ArrayBuffer;
    this.#int8s = new Int8Array(buffer);
    this.#int16s = new Int16Array(buffer);
    this.#float32s = new Float32Array(buffer);
  }
}

function pagesFor(rowBytes: number, rows: number): number {
  return 1 + Math.ceil((rows * rowBytes) / PAGE_BYTES);
}

function maxRows(rowBytes: number, maxBytes: number): number {
  // Subtracts the first page and a partial last page.
  const byLimit = (maxBytes - 2 * PAGE_BYTES) / (rowBytes + Uint32Array.BYTES_PER_ELEMENT + MAP_ENTRY_BYTES);
  const byAddress = ((MAX_PAGES - 1) * PAGE_BYTES) / rowBytes;
  return Math.max(0, Math.floor(Math.min(byLimit, byAddress, MAX_MAP_ENTRIES)));
}
