import type { Architecture } from "./model_header.ts";

/** Addresses of a linear layer. */
export interface LinearAddresses {
  /** int16, packed. */
  readonly weights: number;
  /** float32 per row. */
  readonly scales: number;
  readonly bias: number;
}

/** Addresses of a layer normalization. */
export interface NormAddresses {
  readonly weight: number;
  readonly bias: number;
}

/** Addresses of a transformer layer. */
export interface LayerAddresses {
  /** Query, key and value, one after the other. */
  readonly projection: LinearAddresses;
  readonly attention: LinearAddresses;
  readonly attentionNorm: NormAddresses;
  readonly intermediate: LinearAddresses;
  readonly output: LinearAddresses;
  readonly outputNorm: NormAddresses;
}

/** Addresses of the weights of an encoder. */
export interface WeightAddresses {
  readonly words: number;
  readonly wordScales: number;
  /** Position embeddings plus the token type embedding. */
  readonly positions: number;
  readonly embeddingNorm: NormAddresses;
  readonly layers: readonly LayerAddresses[];
}

/**
 * The weights of an encoder with a region of scratch memory. Can be sent to another thread, which shares the memory.
 */
export interface SharedWeights {
  /** The compiled kernel. */
  readonly module: WebAssembly.Module;
  /** Shared memory with the weights and the scratch regions. */
  readonly memory: WebAssembly.Memory;
  readonly architecture: Architecture;
  readonly pooling: "mean" | "cls";
  /** Number of words; each token id is below. */
  readonly vocabularySize: number;
  readonly addresses: WeightAddresses;
  /** Address of the scratch region. */
  readonly scratch: number;
}
