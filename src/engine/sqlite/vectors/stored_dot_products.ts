import { storedVectorBytes } from "../store/mod.ts";
import { WASM } from "./stored_dot_wasm.ts";

/** Size of a page of WebAssembly memory. */
const PAGE_BYTES = 65_536;

interface Kernel {
  readonly memory: WebAssembly.Memory;
  readonly products: (
    vectors: number,
    count: number,
    stride: number,
    dimensions: number,
    query: number,
    products: number,
  ) => void;
}

/** Loaded on first use, once per thread. */
let kernel: Kernel | undefined;

/**
 * Returns the dot products of a query and stored vectors of its dimensions, which follow each other in a blob. They are
 * equal to those of `storedDotProduct`.
 *
 * @param blob Vectors in the current form, not that of older versions.
 */
export function storedDotProducts(query: Float32Array, blob: Uint8Array): Float64Array {
  const { memory, products } = kernel ??= loadKernel();
  const stride = storedVectorBytes(query.length);
  const count = blob.length / stride;
  // The kernel reads four numbers at a time.
  const results = 16 * Math.ceil(query.length / 4);
  const vectors = results + 8 * count;
  const missing = Math.ceil((vectors + blob.length) / PAGE_BYTES) - memory.buffer.byteLength / PAGE_BYTES;
  if (missing > 0) memory.grow(missing);
  new Float32Array(memory.buffer, 0, query.length).set(query);
  new Uint8Array(memory.buffer, vectors, blob.length).set(blob);
  products(vectors, count, stride, query.length, 0, results);
  return new Float64Array(memory.buffer, results, count).slice();
}

function loadKernel(): Kernel {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: PAGE_BYTES });
  const module = new WebAssembly.Module(Uint8Array.fromBase64(WASM));
  const { exports } = new WebAssembly.Instance(module, { scan: { memory } });
  return { memory, products: exports["products"] as Kernel["products"] };
}
