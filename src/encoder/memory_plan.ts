import { ACTIVATION_LEVELS, BLOCK_ROWS, type Kernel, linkKernel } from "./kernel/kernel.ts";
import { type QuantizedMatrix, SCALE_COLUMNS } from "./model_file.ts";

const PAGE_BYTES = 65_536;
/** Maximum size of a memory with 32-bit addresses, in pages. */
const MAX_PAGES = 65_536;

/** A memory that is being filled. */
interface Target {
  readonly buffer: ArrayBufferLike;
  readonly kernel: Kernel;
}

/** Lays out data in a shared memory, then allocates the memory once and fills it. */
export class MemoryPlan {
  /** First free address, a multiple of 64. */
  end = 0;
  readonly #writes: ((target: Target) => void)[] = [];
  /** Maximum number of columns of a matrix in {@linkcode weights}. */
  #columns = 0;

  /** Plans a copy of int8 values and returns its address. */
  integers(values: Int8Array): number {
    const address = this.#allocate(values.length);
    this.#writes.push(({ buffer }) => new Int8Array(buffer, address, values.length).set(values));
    return address;
  }

  /** Plans copies of float32 values, one after the other, and returns the address of the first. */
  floats(...parts: readonly Float32Array[]): number {
    const start = this.#allocate(parts.reduce((sum, { byteLength }) => sum + byteLength, 0));
    let next = start;
    for (const part of parts) {
      const address = next;
      this.#writes.push(({ buffer }) => new Float32Array(buffer, address, part.length).set(part));
      next += part.byteLength;
    }
    return start;
  }

  /**
   * Plans the rows of matrices, one after the other, as operand of a product.
   *
   * @param matrices With the same number of columns, and multiples of 8 rows.
   */
  weights(matrices: readonly QuantizedMatrix[]): { weights: number; scales: number } {
    const rows = matrices.reduce((sum, matrix) => sum + matrix.rows, 0);
    const columns = matrices[0]?.columns ?? 0;
    this.#columns = Math.max(this.#columns, columns);
    const weights = this.#allocate(2 * rows * columns);
    const scales = this.#allocate(4 * rows);
    let row = 0;
    for (const matrix of matrices) {
      const [address, scalesAddress] = [weights + 2 * row * columns, scales + 4 * row];
      this.#writes.push((target) => this.#pack(matrix, target, address, scalesAddress));
      row += matrix.rows;
    }
    return { weights, scales };
  }

  /**
   * Allocates the memory and fills it.
   *
   * @throws {RangeError} When it would exceed 4 GiB.
   */
  write(module: WebAssembly.Module): WebAssembly.Memory {
    const pages = Math.ceil((this.end + this.#stagedBytes) / PAGE_BYTES);
    if (pages > MAX_PAGES) {
      throw new RangeError(
        `Cannot load the model: it must need at most 4 GiB of memory, got ${this.end} bytes`,
      );
    }
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
    const target = { buffer: memory.buffer, kernel: linkKernel(module, memory) };
    for (const write of this.#writes) write(target);
    return memory;
  }

  /** Bytes after the data, for a block of rows on its way into the kernel. */
  get #stagedBytes(): number {
    return BLOCK_ROWS * (this.#columns + 4 * this.#columns / SCALE_COLUMNS);
  }

  #allocate(bytes: number): number {
    const address = this.end;
    this.end = Math.ceil((address + bytes) / 64) * 64;
    return address;
  }

  #pack({ rows, columns, values, scales }: QuantizedMatrix, target: Target, out: number, outScales: number) {
    const { buffer, kernel } = target;
    const size = BLOCK_ROWS * columns;
    const staged = new Int8Array(buffer, this.end, size);
    const stagedScales = new Float32Array(buffer, this.end + size, size / SCALE_COLUMNS);
    for (let row = 0; row < rows; row += BLOCK_ROWS) {
      const start = row * columns;
      staged.set(values.subarray(start, start + size));
      stagedScales.set(scales.subarray(start / SCALE_COLUMNS, (start + size) / SCALE_COLUMNS));
      kernel.packWeights(
        this.end,
        this.end + size,
        out + 2 * start,
        outScales + 4 * row,
        columns,
        ACTIVATION_LEVELS,
      );
    }
  }
}
