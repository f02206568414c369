import * as z from "zod";
import { ModelError } from "./errors.ts";

/** Maximum length of the header, in bytes; the largest known ones have some 100 kB. */
const MAX_HEADER = 2 ** 24;

const BYTES_PER_VALUE = { F32: 4, F16: 2, BF16: 2 } as const;

const Tensor = z.object({
  dtype: z.string(),
  shape: z.array(z.int().nonnegative()),
  data_offsets: z.tuple([z.int().nonnegative(), z.int().nonnegative()]),
});

/** Type, shape and position of a tensor in its file. */
export interface SafetensorsEntry {
  readonly dtype: keyof typeof BYTES_PER_VALUE;
  readonly shape: readonly number[];
  /** Offset from the start of the file. */
  readonly offset: number;
}

/**
 * A file of tensors: u64 header length, JSON header, data. Reads rows on demand, so that a large tensor is never in
 * memory as a whole.
 *
 * @see https://github.com/huggingface/safetensors#format
 */
export class Safetensors implements Disposable {
  readonly #file: Deno.FsFile;
  readonly #entries: ReadonlyMap<string, SafetensorsEntry>;

  private constructor(file: Deno.FsFile, entries: ReadonlyMap<string, SafetensorsEntry>) {
    this.#file = file;
    this.#entries = entries;
  }

  /**
   * Opens a file and verifies its header.
   *
   * @throws {ModelError} `invalid_model`.
   */
  static open(path: string): Safetensors {
    const file = Deno.openSync(path);
    try {
      return new Safetensors(file, readEntries(file));
    } catch (error) {
      file.close();
      throw error;
    }
  }

  /** Names of the tensors of floating-point numbers. */
  names(): Iterable<string> {
    return this.#entries.keys();
  }

  /** Shape of a tensor; undefined: no such tensor. */
  shape(name: string): readonly number[] | undefined {
    return this.#entries.get(name)?.shape;
  }

  /**
   * Reads values as float32, which is exact for all types.
   *
   * @param start Index of the first value, in row-major order.
   * @throws {ModelError} `invalid_model` when there is no such tensor.
   */
  read(name: string, start: number, count: number): Float32Array<ArrayBuffer> {
    const entry = this.#entries.get(name);
    if (!entry) throw invalid(`the checkpoint has no tensor ${name}`);
    const { dtype, offset } = entry;
    const bytes = new Uint8Array(count * BYTES_PER_VALUE[dtype]);
    readFully(this.#file, bytes, offset + start * BYTES_PER_VALUE[dtype]);
    return toFloat32(bytes, dtype);
  }

  [Symbol.dispose](): void {
    this.#file.close();
  }
}

function readEntries(file: Deno.FsFile): Map<string, SafetensorsEntry> {
  const { size } = file.statSync();
  const prefix = new Uint8Array(8);
  readFully(file, prefix, 0);
  const headerLength = Number(new DataView(prefix.buffer).getBigUint64(0, true));
  if (headerLength > Math.min(MAX_HEADER, size - 8)) {
    throw invalid(`the header of the weights must have at most ${MAX_HEADER} bytes, got ${headerLength}`);
  }
  const json = new Uint8Array(headerLength);
  readFully(file, json, 8);
  const entries = new Map<string, SafetensorsEntry>();
  for (const [name, tensor] of Object.entries(parseHeader(json))) {
    if (name === "__metadata__") continue;
    const { success, data } = Tensor.safeParse(tensor);
    if (!success) throw invalid(`the header of the weights must describe tensor ${name.slice(0, 100)}`);
    // Integers, such as the position ids that older checkpoints contain.
    if (!isSupported(data.dtype)) continue;
    const [start, end] = data.data_offsets;
    const length = data.shape.reduce((product, each) => product * each, BYTES_PER_VALUE[data.dtype]);
    const offset = 8 + headerLength + start;
    if (end - start !== length || offset + length > size) {
      throw invalid(`tensor ${name.slice(0, 100)} must have ${length} bytes within the file`);
    }
    entries.set(name, { dtype: data.dtype, shape: data.shape, offset });
  }
  return entries;
}

function parseHeader(json: Uint8Array): Record<string, unknown> {
  try {
    return z.record(z.string(), z.unknown()).parse(
      JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(json)),
    );
  } catch (cause) {
    throw invalid("the header of the weights must be a JSON object", { cause });
  }
}

function isSupported(dtype: string): dtype is SafetensorsEntry["dtype"] {
  return Object.hasOwn(BYTES_PER_VALUE, dtype);
}

function toFloat32(
  bytes: Uint8Array<ArrayBuffer>,
  dtype: SafetensorsEntry["dtype"],
): Float32Array<ArrayBuffer> {
  switch (dtype) {
    case "F32":
      return new Float32Array(bytes.buffer);
    case "F16":
      return Float32Array.from(new Float16Array(bytes.buffer));
    case "BF16": {
      const bits = Uint32Array.from(new Uint16Array(bytes.buffer), (value) => value << 16);
      return new Float32Array(bits.buffer);
    }
  }
}

function readFully(file: Deno.FsFile, bytes: Uint8Array, offset: number): void {
  file.seekSync(offset, Deno.SeekMode.Start);
  for (let filled = 0; filled < bytes.length;) {
    const count = file.readSync(bytes.subarray(filled));
    if (count === null) throw invalid("the file of the weights ends early");
    filled += count;
  }
}

function invalid(problem: string, options?: ErrorOptions): ModelError {
  return new ModelError("invalid_model", `Cannot convert the model: ${problem}`, options);
}
