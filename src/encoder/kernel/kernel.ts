import { WASM } from "./kernel_wasm.ts";

/** Number of rows in a block of a packed matrix; see linear.as. */
export const BLOCK_ROWS = 8;
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
  linear(
    activations: number,
    activationScales: number,
    weights: number,
    weightScales: number,
    bias: number,
    out: number,
    tokens: number,
    rows: number,
    columns: number,
    add: boolean,
    partial: number,
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
