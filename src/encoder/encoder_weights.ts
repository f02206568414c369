import { compileKernel, linkKernel } from "./kernel/kernel.ts";
import { MemoryPlan } from "./memory_plan.ts";
import { type ModelFile, SCALE_COLUMNS } from "./model_file.ts";
import type { Architecture } from "./model_header.ts";
import { layOutScratch } from "./scratch.ts";
import type { LinearAddresses, NormAddresses, SharedWeights, WeightAddresses } from "./shared_weights.ts";

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
 * Matrices take 2 bytes per weight, word embeddings 1, and an encoder about `10 KiB × hidden` of scratch memory: 38 MB for
 * all-MiniLM-L6-v2 with one encoder, and 4 MB for each further one.
 *
 * @example
 * ```ts
 * import { Encoder } from "./encoder.ts";
 * import { readModelFile } from "./model_file.ts";
 *
 * export function start(file: Uint8Array, thread: Worker): Encoder {
 *   const weights = EncoderWeights.load(readModelFile(file), { encoders: 2 });
 *   thread.postMessage(weights.share(1));
 *   return new Encoder(weights.share(0));
 * }
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
    const plan = new MemoryPlan();
    const addresses = planWeights(file, plan);
    const attentionBytes = attentionScratch(module, architecture);
    const scratches = Array.from({ length: encoders }, () => {
      const start = plan.end;
      plan.end = layOutScratch(architecture, start, attentionBytes).end;
      return start;
    });
    const memory = plan.write(module);
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
   * @throws {RangeError} When there are fewer encoders.
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

function planWeights(file: ModelFile, plan: MemoryPlan): WeightAddresses {
  const words = file.matrix("embeddings.word_embeddings.weight");
  const norm = (name: string): NormAddresses => ({
    weight: plan.floats(file.floats(`${name}.weight`)),
    bias: plan.floats(file.floats(`${name}.bias`)),
  });
  return {
    words: plan.integers(words.values),
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
function planLinear(file: ModelFile, plan: MemoryPlan, names: readonly string[]): LinearAddresses {
  return {
    ...plan.weights(names.map((name) => file.matrix(`${name}.weight`))),
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
  verifyMultiple("hidden / heads", hidden / heads, 8);
}

function verifyMultiple(name: string, value: number, factor: number): void {
  if (value % factor !== 0) {
    throw new RangeError(`Cannot load the model: ${name} must be a multiple of ${factor}, got ${value}`);
  }
}
