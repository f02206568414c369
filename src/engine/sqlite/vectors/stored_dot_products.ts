import { storedVectorBytes } from "../store/read_only.ts";
import { WASM } from "./stored_dot_wasm.ts";

/** Size of a page of WebAssembly memory. */
const WASM_PAGE_BYTES = 65_536;
/** Maximum size of a memory with 32-bit addresses. */
const MAX_WASM_PAGES = 65_536;

/** Size of the vectors that are read before they are compared: a part of the cache of a core. */
const PROCESSOR_CACHE_BYTES = 131_072;

type Touch = (list: number, count: number, bytes: number) => number;

type Products = (
  list: number,
  count: number,
  dimensions: number,
  query: number,
  products: number,
  quantized: number,
  factor: number,
  constant: number,
  threshold: number,
) => void;

/** Largest value of a query as integers, and of a sum of its products with integers of 8 bits. */
const MAX_QUANTIZED = 32_767;
const MAX_SUM = 2 ** 31 - 1;
/** Covers the rounding of sums. */
const ROUNDING = 1e-6;

/** Factor and constant of the upper bounds of dot products with a query. */
interface Bounds {
  readonly factor: number;
  readonly constant: number;
}

/** Bounds that exclude no vector. */
const NO_BOUNDS: Bounds = { factor: 0, constant: Infinity };

/** The compiled kernel, shared by all instances of a thread. */
let compiled: WebAssembly.Module | undefined;

/** A kernel with a memory of its own. */
export class DotProductKernel {
  readonly #memory = new WebAssembly.Memory({ initial: 1, maximum: MAX_WASM_PAGES });
  readonly #touch: Touch;
  readonly #products: Products;

  constructor() {
    compiled ??= new WebAssembly.Module(Uint8Array.fromBase64(WASM));
    const { exports } = new WebAssembly.Instance(compiled, { scan: { memory: this.#memory } });
    this.#touch = exports["touch"] as Touch;
    this.#products = exports["products"] as Products;
  }

  /** Memory in use, in bytes. */
  get bytes(): number {
    return this.#memory.buffer.byteLength;
  }

  /**
   * Returns the memory from an address on, which {@linkcode DotProductKernel.products} does not overwrite if it is
   * {@linkcode firstAddress} or larger.
   *
   * @throws {RangeError} When the system is out of memory.
   */
  view(address: number, bytes: number): Uint8Array {
    // The kernel reads up to 15 bytes beyond the last vector.
    const missing = Math.ceil((address + bytes + 15) / WASM_PAGE_BYTES) - this.bytes / WASM_PAGE_BYTES;
    if (missing > 0) this.#memory.grow(missing);
    return new Uint8Array(this.#memory.buffer, address, bytes);
  }

  /**
   * Returns the dot products of a query and stored vectors of its dimensions, until the next call.
   *
   * @param addresses Addresses of vectors in the current form, not that of older versions.
   * @param threshold Products below are of no interest, and may be `NaN`.
   */
  products(query: Float32Array, addresses: Uint32Array, threshold = -Infinity): Float64Array {
    const quantized = quantizedAddress(query.length);
    const results = firstAddress(query.length, 0);
    const list = results + 8 * addresses.length;
    this.view(0, list + 4 * addresses.length);
    const { buffer } = this.#memory;
    new Float32Array(buffer, 0, query.length).set(query);
    new Uint32Array(buffer, list, addresses.length).set(addresses);
    const bounds = threshold === -Infinity ? NO_BOUNDS : this.#writeQuantized(query);
    const bytes = storedVectorBytes(query.length);
    const step = Math.max(1, Math.floor(PROCESSOR_CACHE_BYTES / bytes));
    for (let from = 0; from < addresses.length; from += step) {
      const count = Math.min(step, addresses.length - from);
      this.#touch(list + 4 * from, count, bytes);
      this.#products(
        ...[list + 4 * from, count, query.length, 0, results + 8 * from, quantized] as const,
        ...[bounds.factor, bounds.constant, threshold] as const,
      );
    }
    return new Float64Array(buffer, results, addresses.length);
  }

  /** Writes a query as integers, and returns the bounds of its products with vectors without their lower bits. */
  #writeQuantized(query: Float32Array): Bounds {
    const padded = 16 * Math.ceil(query.length / 16);
    const integers = new Int16Array(this.#memory.buffer, quantizedAddress(query.length), padded);
    let largest = 0;
    for (let i = 0; i < query.length; i++) largest = Math.max(largest, Math.abs(query[i]!));
    // A lane of the kernel adds a quarter of the products.
    const step = largest / Math.min(MAX_QUANTIZED, Math.floor(MAX_SUM / (128 * padded / 4)));
    let [sum, absoluteSum, errors] = [0, 0, 0];
    for (let i = 0; i < query.length; i++) {
      const value = query[i]!;
      const integer = step === 0 ? 0 : Math.round(value / step);
      integers[i] = integer;
      sum += value;
      absoluteSum += Math.abs(value);
      errors += Math.abs(value - step * integer);
    }
    integers.fill(0, query.length);
    // An integer of 10 bits is 4 × its upper 8 bits, which are -128 to 127, plus 0 to 3.
    return { factor: 4 * step, constant: 1.5 * (sum + absoluteSum) + 512 * errors + ROUNDING * absoluteSum };
  }
}

/** Returns the first address for vectors that are compared `count` at a time. */
export function firstAddress(dimensions: number, count: number): number {
  return quantizedAddress(dimensions) + 32 * Math.ceil(dimensions / 16) + 12 * count;
}

/** Returns the address of the query as integers, after its numbers, of which the kernel reads four at a time. */
function quantizedAddress(dimensions: number): number {
  return 16 * Math.ceil(dimensions / 4);
}

/** Loaded on first use, once per thread. */
let kernel: DotProductKernel | undefined;

/**
 * Returns the dot products of a query and stored vectors of its dimensions, which follow each other in a blob. They are
 * equal to those of `storedDotProduct`.
 *
 * @param blob Vectors in the current form, not that of older versions.
 */
export function storedDotProducts(query: Float32Array, blob: Uint8Array): Float64Array {
  kernel ??= new DotProductKernel();
  const stride = storedVectorBytes(query.length);
  const count = blob.length / stride;
  const first = firstAddress(query.length, count);
  kernel.view(first, blob.length).set(blob);
  return kernel.products(query, Uint32Array.from({ length: count }, (_, at) => first + stride * at)).slice();
}
