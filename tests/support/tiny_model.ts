import {
  type Architecture,
  encodeModelFile,
  encoderTensors,
  type ModelDescription,
  SCALE_COLUMNS,
} from "../../src/encoder/mod.ts";
import { seededRandom } from "./random.ts";

/** Sizes of the tiny encoder: small, but with every part of a real one. */
const ARCHITECTURE: Architecture = {
  type: "bert",
  layers: 2,
  hidden: 64,
  heads: 2,
  intermediate: 128,
  max_tokens: 32,
  positions: 48,
  layer_norm_epsilon: 1e-12,
  activation: "gelu",
  position_offset: 0,
};

const SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];

/** Special tokens, digits and letters, each also as a continuation, and a few words. */
const VOCABULARY: readonly string[] = [
  ...SPECIAL,
  ..."0123456789abcdefghijklmnopqrstuvwxyz.,?!-'".split(""),
  ..."0123456789abcdefghijklmnopqrstuvwxyz".split("").map((each) => `##${each}`),
  ..."the a of and in heron bird water blue note user german language meeting tea coffee".split(" ")
    .filter((word) => word.length > 1),
];

/** Options of {@linkcode tinyModel}. */
export interface TinyModelOptions {
  /** @default "tiny" */
  readonly name?: string;
  /** Seed of the weights; another seed is another model. @default 1 */
  readonly seed?: number;
  readonly architecture?: Partial<Architecture>;
  readonly pooling?: ModelDescription["pooling"];
  /** Mean of the weights of layer normalizations. @default 1 */
  readonly gain?: number;
  readonly prefixes?: ModelDescription["prefixes"];
}

/** Returns the description of the tiny model. */
export function tinyDescription(
  { name = "tiny", architecture, pooling = "mean", prefixes = { query: "", document: "" } }:
    TinyModelOptions = {},
): ModelDescription {
  return {
    name,
    license: "CC0-1.0",
    origin: "tests/support/tiny_model.ts",
    revision: "1",
    architecture: { ...ARCHITECTURE, ...architecture },
    pooling,
    prefixes,
    tokenizer: {
      type: "wordpiece",
      lowercase: true,
      strip_accents: true,
      split_chinese: true,
      unknown: "[UNK]",
      start: "[CLS]",
      end: "[SEP]",
      special: SPECIAL,
    },
  };
}

/**
 * Returns a model file with random weights: a working encoder of 150 kB whose vectors have no meaning, except that
 * texts with common words have similar ones.
 */
export function tinyModel(options: TinyModelOptions = {}): Uint8Array<ArrayBuffer> {
  const description = tinyDescription(options);
  const random = seededRandom(options.seed ?? 1);
  const weight = () => Math.fround((random.next() - 0.5) / 4);
  const types = encoderTensors(description.architecture, VOCABULARY.length);
  const shape = (name: string) => types.get(name)?.shape ?? [];
  return concat(encodeModelFile(description, {
    vocabulary: new TextEncoder().encode(VOCABULARY.map((token) => `${token}\n`).join("")),
    vocabularySize: VOCABULARY.length,
    matrix: (name) => {
      const [rows = 0, columns = 0] = shape(name);
      const values = Int8Array.from(
        { length: rows * columns },
        () => Math.round((random.next() - 0.5) * 254),
      );
      return [{
        rows,
        columns,
        values,
        scales: new Float32Array(rows * Math.ceil(columns / SCALE_COLUMNS)).fill(1 / 512),
      }];
    },
    floats: (name) => {
      const length = shape(name).reduce((product, each) => product * each, 1);
      const isGain = name.endsWith("LayerNorm.weight");
      return Float32Array.from({ length }, () => isGain ? (options.gain ?? 1) + weight() : weight());
    },
  }));
}

/** Joins byte arrays. */
export function concat(parts: Iterable<Uint8Array>): Uint8Array<ArrayBuffer> {
  const all = [...parts];
  const bytes = new Uint8Array(all.reduce((length, each) => length + each.length, 0));
  let offset = 0;
  for (const each of all) {
    bytes.set(each, offset);
    offset += each.length;
  }
  return bytes;
}
