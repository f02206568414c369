import { ACTIVATION_LEVELS, type Kernel, linkKernel } from "./kernel/kernel.ts";
import { FEED_FORWARD_TOKENS, layOutScratch, type Scratch } from "./scratch.ts";
import type { LayerAddresses, LinearAddresses, NormAddresses, SharedWeights } from "./shared_weights.ts";

/** The tokens of a text in a batch. */
interface Text {
  /** Index of its first token in the batch. */
  readonly start: number;
  readonly length: number;
}

/**
 * Computes the vectors of texts with a BERT encoder (arXiv:1810.04805): embeddings, transformer layers with
 * post-normalization and GELU, and the mean of the hidden states (arXiv:1908.10084) or the first of them.
 *
 * The vector of a text depends neither on the other texts nor on the machine.
 *
 * @example
 * ```ts
 * import { readModelFile } from "./model_file.ts";
 * import { EncoderWeights } from "./encoder_weights.ts";
 *
 * export function vectorOf(file: Uint8Array, tokens: Uint32Array): Float32Array | undefined {
 *   const weights = EncoderWeights.load(readModelFile(file));
 *   return new Encoder(weights.share(0)).encode([tokens])[0];
 * }
 * ```
 */
export class Encoder {
  readonly #weights: SharedWeights;
  readonly #kernel: Kernel;
  readonly #scratch: Scratch;

  /** @param weights Weights with the scratch region of this encoder; no two encoders may use the same. */
  constructor(weights: SharedWeights) {
    const { module, memory, architecture, scratch } = weights;
    this.#weights = weights;
    this.#kernel = linkKernel(module, memory);
    const { hidden, heads, max_tokens } = architecture;
    const attentionBytes = this.#kernel.attentionScratch(max_tokens, hidden / heads);
    this.#scratch = layOutScratch(architecture, scratch, attentionBytes);
  }

  /** Dimensions of each vector. */
  get dimensions(): number {
    return this.#weights.architecture.hidden;
  }

  /** Maximum number of tokens of a text, with the special ones. */
  get maxTokens(): number {
    return this.#weights.architecture.max_tokens;
  }

  /**
   * Returns the vector of each text, scaled to length 1.
   *
   * Any number of texts; memory is bounded, since they are processed in batches.
   *
   * @param texts Token ids of each text, special tokens included: 1 to {@linkcode maxTokens}.
   * @throws {RangeError} When a text is empty or too long, or a token id is not in the vocabulary.
   */
  encode(texts: readonly Uint32Array[]): Float32Array<ArrayBuffer>[] {
    for (const text of texts) this.#verify(text);
    const vectors: Float32Array<ArrayBuffer>[] = [];
    while (vectors.length < texts.length) {
      const batch = this.#writeBatch(texts, vectors.length);
      this.#embed(batch);
      for (const layer of this.#weights.addresses.layers) {
        this.#attend(layer, batch);
        this.#feedForward(layer, tokenCount(batch));
      }
      for (const text of batch) vectors.push(this.#pool(text));
    }
    return vectors;
  }

  #verify(text: Uint32Array): void {
    if (text.length < 1 || text.length > this.maxTokens) {
      throw new RangeError(
        `Cannot encode a text: it must have 1 to ${this.maxTokens} tokens, got ${text.length}`,
      );
    }
    const { vocabularySize } = this.#weights;
    for (const id of text) {
      if (id >= vocabularySize) {
        throw new RangeError(`Cannot encode a text: token ids must be below ${vocabularySize}, got ${id}`);
      }
    }
  }

  /** Writes the tokens of as many texts as fit. */
  #writeBatch(texts: readonly Uint32Array[], first: number): Text[] {
    const { tokens, ids } = this.#scratch;
    const memory = new Uint32Array(this.#weights.memory.buffer, ids, tokens);
    const batch: Text[] = [];
    let start = 0;
    for (let index = first; index < texts.length; index++) {
      const text = texts[index]!;
      if (start + text.length > tokens) break;
      memory.set(text, start);
      batch.push({ start, length: text.length });
      start += text.length;
    }
    return batch;
  }

  #embed(batch: readonly Text[]): void {
    const { architecture: { hidden }, addresses } = this.#weights;
    for (const { start, length } of batch) {
      this.#kernel.embed(
        this.#scratch.ids + 4 * start,
        addresses.words,
        addresses.wordScales,
        addresses.positions,
        this.#hiddenAt(start),
        length,
        hidden,
      );
    }
    this.#normalize(addresses.embeddingNorm, this.#scratch.hidden, tokenCount(batch));
  }

  #attend({ projection, attention, attentionNorm }: LayerAddresses, batch: readonly Text[]): void {
    const { hidden: width, heads } = this.#weights.architecture;
    const { hidden, projections, context, quantized, attention: scratch } = this.#scratch;
    const count = tokenCount(batch);
    this.#quantize(hidden, quantized, count, width);
    this.#linear(projection, quantized, projections, { count, rows: 3 * width, columns: width });
    for (const { start, length } of batch) {
      this.#kernel.attention(
        projections + 4 * 3 * width * start,
        context + 4 * width * start,
        length,
        heads,
        width / heads,
        scratch,
      );
    }
    this.#quantize(context, quantized, count, width);
    this.#linear(attention, quantized, hidden, { count, rows: width, columns: width, add: true });
    this.#normalize(attentionNorm, hidden, count);
  }

  #feedForward({ intermediate: up, output: down, outputNorm }: LayerAddresses, tokens: number): void {
    const { hidden: width, intermediate: innerWidth } = this.#weights.architecture;
    const { quantized, intermediate, quantizedIntermediate } = this.#scratch;
    for (let start = 0; start < tokens; start += FEED_FORWARD_TOKENS) {
      const count = Math.min(FEED_FORWARD_TOKENS, tokens - start);
      const hidden = this.#hiddenAt(start);
      this.#quantize(hidden, quantized, count, width);
      this.#linear(up, quantized, intermediate, { count, rows: innerWidth, columns: width });
      this.#kernel.gelu(intermediate, count * innerWidth);
      this.#quantize(intermediate, quantizedIntermediate, count, innerWidth);
      this.#linear(down, quantizedIntermediate, hidden, {
        count,
        rows: width,
        columns: innerWidth,
        add: true,
      });
      this.#normalize(outputNorm, hidden, count);
    }
  }

  #pool({ start, length }: Text): Float32Array<ArrayBuffer> {
    const { memory, pooling, architecture: { hidden } } = this.#weights;
    const { vector } = this.#scratch;
    this.#kernel.pool(this.#hiddenAt(start), vector, pooling === "cls" ? 1 : length, hidden);
    return Float32Array.from(new Float32Array(memory.buffer, vector, hidden));
  }

  #quantize(rows: number, out: number, count: number, columns: number): void {
    this.#kernel.quantize(rows, 4 * columns, out, this.#scratch.scales, count, columns, ACTIVATION_LEVELS);
  }

  #linear(
    { weights, scales, bias }: LinearAddresses,
    activations: number,
    out: number,
    { count, rows, columns, add = false }: { count: number; rows: number; columns: number; add?: boolean },
  ): void {
    this.#kernel.product(
      activations,
      this.#scratch.scales,
      weights,
      scales,
      bias,
      out,
      4 * rows,
      count,
      rows,
      columns,
      add,
    );
  }

  #normalize({ weight, bias }: NormAddresses, rows: number, count: number): void {
    const { hidden, layer_norm_epsilon } = this.#weights.architecture;
    this.#kernel.layerNorm(rows, weight, bias, count, hidden, layer_norm_epsilon);
  }

  #hiddenAt(token: number): number {
    return this.#scratch.hidden + 4 * this.#weights.architecture.hidden * token;
  }
}

function tokenCount(batch: readonly Text[]): number {
  return batch.reduce((sum, { length }) => sum + length, 0);
}
