import type { SharedWeights, TokenizerHeader } from "../encoder/mod.ts";

/** A model file for the first encoder thread to load. */
export interface ModelToLoad {
  readonly type: "load";
  /** Path of the file. */
  readonly path: string;
  /** SHA-256 that the file must have, in hexadecimal. */
  readonly checksum: string;
  /** Maximum number of threads that share the weights. */
  readonly encoders: number;
  /** Index of the thread, from 0. */
  readonly index: number;
}

/** A loaded model for one more encoder thread. */
export interface SharedModel {
  readonly type: "share";
  /** Weights in shared memory, with the working memory of this thread only. */
  readonly weights: SharedWeights;
  readonly tokenizer: TokenizerHeader;
  readonly vocabulary: Uint8Array;
}

/** Settings of an encoder thread. */
export type EncoderSettings = ModelToLoad | SharedModel;

/** Texts to encode, with their prefix; or `share`, for the settings of all threads. */
export type EncoderRequest = readonly string[] | "share";

/** The vector of each text, `null` for one without a known token; or the settings of each thread. */
export type EncoderResponse = readonly (Float32Array | null)[] | readonly SharedModel[];
