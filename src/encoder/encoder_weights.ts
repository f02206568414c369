import { BLOCK_ROWS, compileKernel, linkKernel } from "./kernel/kernel.ts";
import { type ModelFile, SCALE_COLUMNS } from "./model_file.ts";
import type { Architecture } from "./model_header.ts";
import { packScales, packValues } from "./pack.ts";
import { layOutScratch } from "./scratch.ts";
import type { LinearAddresses, NormAddresses, SharedWeights, WeightAddresses } from "./shared_weights.ts";

const PAGE_BYTES = 65_536;
/** Maximum size of a memory with 32-bit addresses, in pages. */
const MAX_PAGES = 65_536;

/** Options of {@linkcode EncoderWeights.load}. */
export interface EncoderWeightsOptions {
  /**
   * Number of encoders that can work at the same time, each with its own scratch memory.
   *
   * @default 1
   */
  readonly encoders?: number;
}

/**
 * The weights of an encoder in a memory that threads share, arranged as the kernel reads them.
 *
 * @example
 * ```ts
 * const weights = EncoderWeights.load(readModelFile(await Deno.readFile(path)), { encoders: 2 });
 * thread.postMessage(weights.share(1));
 * const encoder = new Encoder(weights.share(0));
 * ```
 */
export class EncoderWeights {
  readonly #shared: Omit<SharedWeights, "scratch">;
  readonly #scratches: readonly number[];

  private constructor(shared: Omit<SharedWeights, "scratch">, scratches: readonly number[]) {
    this.#shared = shared;
    this.#scratches = scratches;
  }

  /**
   * Copies the weights of a model file, which is not referenced afterwards.
   *
   * @throws {RangeError} When the kernel does not support the sizes of the model, or they need more than 4 GiB.
   */
  static load(file: ModelFile, { encoders = 1 }: EncoderWeightsOptions = {}): EncoderWeights {
    const { architecture, pooling } = file.header;
    verifyArchitecture(architecture);
    const module = compileKernel();
    const plan = new Plan();
    const addresses = planWeights(file, plan);
    const scratches: number[] = [];
    const attentionBytes = attentionScratch(module, architecture);
    for (let index = 0; index < encoders; index++) {
      scratches.push(plan.end);
      plan.end = layOutScratch(architecture, plan.end, attentionBytes).end;
    }
    const memory = plan.write();
    const vocabularySize = file.matrix("embeddings.word_embeddings.weight").rows;
    return new EncoderWeights(
      { module, memory, architecture, pooling, vocabularySize, addresses },
      scratches,
    );
  }

  /** Bytes of the shared memory, scratch included. */
  get bytes(): number {
    return this.#shared.memory.buffer.byteLength;
  }

  /**
   * Returns the weights for an encoder, here or in another thread.
   *
   * @param index Number of the encoder, from 0. Two encoders with the same number must not work at the same time.
   */
  share(index: number): SharedWeights {
    const scratch = this.#scratches[index];
    if (scratch === undefined) {
      throw new RangeError(
        `Cannot share weights: the encoder must be below ${this.#scratches.length}, got ${index}`,
      );
    }
    return { ...this.#shared, scratch };
  }
}

/** Allocates addresses, then the memory, and fills it. */
class Plan {
  end = 0;
  readonly #writes: ((memory: ArrayBufferLike) => void)[] = [];

  /** Reserves bytes, which `write` fills. */
  allocate(bytes: number, write: (memory: ArrayBufferLike, address: number) => void): number {
    const address = this.end;
    this.end = Math.ceil((address + bytes) / 64) * 64;
    this.#writes.push((memory) => write(memory, address));
    return address;
  }

  floats(...parts: readonly Float32Array[]): number {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    return this.allocate(4 * length, (memory, address) => {
      for (const part of parts) {
        new Float32Array(memory, address, part.length).set(part);
        address += part.byteLength;
      }
    });
  }

  write(): WebAssembly.Memory {
    const pages = Math.ceil(this.end / PAGE_BYTES);
    if (pages > MAX_PAGES) {
      throw new RangeError(
        `Cannot load the model: it must need at most 4 GiB of memory, got ${this.end} bytes`,
      );
    }
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
    for (const write of this.#writes) write(memory.buffer);
    return memory;
  }
}

function planWeights(file: ModelFile, plan: Plan): WeightAddresses {
  const words = file.matrix("embeddings.word_embeddings.weight");
  const norm = (name: string): NormAddresses => ({
    weight: plan.floats(file.floats(`${name}.weight`)),
    bias: plan.floats(file.floats(`${name}.bias`)),
  });
  return {
    words: plan.allocate(words.values.length, (memory, address) => {
      new Int8Array(memory, address, words.values.length).set(words.values);
    }),
    wordScales: plan.floats(words.scales),
    positions: plan.floats(positionsOf(file)),
    embeddingNorm: norm("embeddings.LayerNorm"),
    layers: Array.from({ length: file.header.architecture.layers }, (_, index) => {
      const layer = `encoder.layer.${index}`;
      const attention = `${layer}.attention`;
      const linear = (...names: string[]) => planLinear(file, plan, names);
      return {
        projection: linear(`${attention}.self.query`, `${attention}.self.key`, `${attention}.self.value`),
        attention: linear(`${attention}.output.dense`),
        attentionNorm: norm(`${attention}.output.LayerNorm`),
        intermediate: linear(`${layer}.intermediate.dense`),
        output: linear(`${layer}.output.dense`),
        outputNorm: norm(`${layer}.output.LayerNorm`),
      };
    }),
  };
}

/** Plans linear layers with the same input as one. */
function planLinear(file: ModelFile, plan: Plan, names: readonly string[]): LinearAddresses {
  const matrices = names.map((name) => file.matrix(`${name}.weight`));
  const count = matrices.reduce((sum, { values }) => sum + values.length, 0);
  return {
    weights: plan.allocate(count, (memory, address) => {
      for (const matrix of matrices) {
        packValues(matrix, new Int8Array(memory, address, matrix.values.length));
        address += matrix.values.length;
      }
    }),
    scales: plan.allocate(4 * count / SCALE_COLUMNS, (memory, address) => {
      for (const matrix of matrices) {
        const length = matrix.values.length / SCALE_COLUMNS;
        packScales(matrix, new Float32Array(memory, address, length));
        address += 4 * length;
      }
    }),
    bias: plan.floats(...names.map((name) => file.floats(`${name}.bias`))),
  };
}

/** Returns the position embeddings of a text plus the token type embedding, which all tokens have. */
function positionsOf(file: ModelFile): Float32Array {
  const { hidden, position_offset, max_tokens } = file.header.architecture;
  const type = file.floats("embeddings.token_type_embeddings.weight");
  return file.floats("embeddings.position_embeddings.weight")
    .subarray(position_offset * hidden, (position_offset + max_tokens) * hidden)
    .map((value, index) => value + type[index % hidden]!);
}

function attentionScratch(module: WebAssembly.Module, { max_tokens, hidden, heads }: Architecture): number {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
  return linkKernel(module, memory).attentionScratch(max_tokens, hidden / heads);
}

function verifyArchitecture({ hidden, intermediate, heads }: Architecture): void {
  verifyMultiple("hidden", hidden, SCALE_COLUMNS);
  verifyMultiple("intermediate", intermediate, SCALE_COLUMNS);
  verifyMultiple("hidden / heads", hidden / heads, BLOCK_ROWS);
}

function verifyMultiple(name: string, value: number, factor: number): void {
  if (value % factor !== 0) {
    throw new RangeError(`Cannot load the model: ${name} must be a multiple of ${factor}, got ${value}`);
  }
}
