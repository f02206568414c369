import { WASM } from "./kernel_wasm.ts";

/** Number of rows in a block of a packed matrix; see product.as. */
export const BLOCK_ROWS = 8;
/**
 * Largest quantized activation: 13 bits and a sign. With 12 bits, vectors of all-MiniLM-L6-v2 have a cosine above 0.99999
 * to those of float32; each further bit would cost the weights one.
 */
export const ACTIVATION_LEVELS = 8191;
/** Tokens are processed in tiles, up to the last of which activations must be readable and writable. */
export const TILE_TOKENS = 8;

/**
 * Functions of the WebAssembly module. All pointers are byte addresses in its memory; the sources (`*.as`) describe each
 * function.
 */
export interface Kernel {
  embed(
    ids: number,
    words: number,
    wordScales: number,
    positions: number,
    out: number,
    tokens: number,
    hidden: number,
  ): void;
  quantize(
    rows: number,
    stride: number,
    out: number,
    scales: number,
    count: number,
    columns: number,
    levels: number,
  ): void;
  packWeights(
    values: number,
    scales: number,
    out: number,
    outScales: number,
    columns: number,
    levels: number,
  ): void;
  product(
    tokens: number,
    tokenScales: number,
    rows: number,
    rowScales: number,
    bias: number,
    out: number,
    outStride: number,
    tokenCount: number,
    rowCount: number,
    columns: number,
    add: boolean,
  ): void;
  attention(
    projections: number,
    out: number,
    tokens: number,
    heads: number,
    size: number,
    scratch: number,
  ): void;
  attentionScratch(tokens: number, size: number): number;
  layerNorm(
    rows: number,
    weight: number,
    bias: number,
    count: number,
    columns: number,
    epsilon: number,
  ): void;
  gelu(values: number, count: number): void;
  pool(rows: number, out: number, count: number, columns: number): void;
}

/** Compiles the kernel, which takes some milliseconds. The result can be sent to other threads. */
export function compileKernel(): WebAssembly.Module {
  return new WebAssembly.Module(Uint8Array.fromBase64(WASM));
}

/** Links a compiled kernel to a shared memory. */
export function linkKernel(module: WebAssembly.Module, memory: WebAssembly.Memory): Kernel {
  return new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as Kernel;
}
