import { ModelFileError } from "./errors.ts";
import { Fields, invalidField } from "./fields.ts";

/** Sizes and constants of a BERT encoder. */
export interface Architecture {
  readonly type: "bert";
  /** Number of transformer layers. */
  readonly layers: number;
  /** Dimensions of the hidden states, and of the vectors. */
  readonly hidden: number;
  /** Number of attention heads; divides `hidden`. */
  readonly heads: number;
  /** Dimensions between the two matrices of the feed-forward network. */
  readonly intermediate: number;
  /** Maximum number of tokens of a text, with the special ones. */
  readonly max_tokens: number;
  /** Number of rows of the position embeddings. */
  readonly positions: number;
  readonly layer_norm_epsilon: number;
  readonly activation: "gelu";
  /** Row of the position embeddings for the first token: 0 for BERT, 2 for XLM-RoBERTa. */
  readonly position_offset: number;
}

/** Options of the tokenizer; `createTokenizer` checks them. */
export type TokenizerHeader = Readonly<Record<string, unknown>>;

/** Bytes of the data of a model file. */
export interface ByteRange {
  /** Offset from the start of the data, a multiple of 64. */
  readonly offset: number;
  /** Length in bytes. */
  readonly length: number;
}

/** Position of a tensor in the data. */
export interface TensorEntry {
  /** `int8`: a matrix with one float32 scale per 64 columns of a row, `w ≈ scale × q`. */
  readonly type: "int8" | "float32";
  /** One dimension, or rows and columns in row-major order. */
  readonly shape: readonly number[];
  /** Offset of the values from the start of the data. */
  readonly offset: number;
  /** Offset of the scales; only for `int8`. */
  readonly scales?: number;
}

/** Header of a model file without the positions of its data. */
export interface ModelDescription {
  /** Name of the model, which is also that of its file: `[a-z0-9][A-Za-z0-9._-]*`. */
  readonly name: string;
  /** SPDX identifier of the license of the weights. */
  readonly license: string;
  /** URL or package that the weights are from. */
  readonly origin: string;
  /** Version of the weights: a commit or a package version. */
  readonly revision: string;
  readonly architecture: Architecture;
  /** Vector of a text: the mean of its hidden states, or the hidden state of the first token. */
  readonly pooling: "mean" | "cls";
  /** Texts that the model was trained to see before a query and a document. */
  readonly prefixes: { readonly query: string; readonly document: string };
  readonly tokenizer: TokenizerHeader;
}

/** Header of a model file. */
export interface ModelHeader extends ModelDescription {
  /** Version of the format. */
  readonly format: 1;
  /** Data of the tokenizer, in a format of its own. */
  readonly vocabulary: ByteRange;
  /** Tensors by their name in a BERT checkpoint, such as `encoder.layer.0.output.dense.weight`. */
  readonly tensors: Readonly<Record<string, TensorEntry>>;
}

/** Version of the format that this program reads and writes. */
export const FORMAT = 1;

const MAX_TEXT = 1000;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/**
 * Checks the fields of a header. The positions of the data are checked by {@linkcode readModelFile}.
 *
 * By hand, because zod would take 9 MB and 34 ms in every thread that loads a model.
 *
 * @throws {ModelFileError} `format` or `header`.
 */
export function parseModelHeader(value: unknown): ModelHeader {
  const header = new Fields(value, "header");
  const format = header.integer("format", 1, Number.MAX_SAFE_INTEGER);
  if (format !== FORMAT) {
    throw new ModelFileError(
      "format",
      `format must be ${FORMAT}, got ${format}: a newer kb-mcp may read the file`,
    );
  }
  const name = header.text("name", 100);
  if (!NAME.test(name)) {
    throw invalidField("header.name", "letters, digits, dots, hyphens and underscores", name);
  }
  const prefixes = header.fields("prefixes");
  const vocabulary = header.fields("vocabulary");
  const tensors = header.fields("tensors");
  return {
    format,
    name,
    license: header.line("license", MAX_TEXT),
    origin: header.line("origin", MAX_TEXT),
    revision: header.line("revision", MAX_TEXT),
    architecture: parseArchitecture(header.fields("architecture")),
    pooling: header.oneOf("pooling", ["mean", "cls"]),
    prefixes: { query: prefixes.text("query", MAX_TEXT), document: prefixes.text("document", MAX_TEXT) },
    tokenizer: header.fields("tokenizer").object,
    vocabulary: {
      offset: vocabulary.integer("offset", 0, Number.MAX_SAFE_INTEGER),
      length: vocabulary.integer("length", 1, Number.MAX_SAFE_INTEGER),
    },
    tensors: Object.fromEntries(tensors.names().map((each) => [each, parseTensor(tensors.fields(each))])),
  };
}

function parseArchitecture(fields: Fields): Architecture {
  const hidden = fields.integer("hidden", 1, 4096);
  const heads = fields.integer("heads", 1, 256);
  if (hidden % heads !== 0) throw invalidField("header.architecture.heads", `a divisor of ${hidden}`, heads);
  const positions = fields.integer("positions", 1, 65_536);
  const position_offset = fields.integer("position_offset", 0, 16);
  return {
    type: fields.oneOf("type", ["bert"]),
    layers: fields.integer("layers", 1, 64),
    hidden,
    heads,
    intermediate: fields.integer("intermediate", 1, 16_384),
    max_tokens: fields.integer("max_tokens", 3, positions - position_offset),
    positions,
    layer_norm_epsilon: fields.number("layer_norm_epsilon", 0, 1),
    activation: fields.oneOf("activation", ["gelu"]),
    position_offset,
  };
}

function parseTensor(fields: Fields): TensorEntry {
  const type = fields.oneOf("type", ["int8", "float32"]);
  const offset = fields.integer("offset", 0, Number.MAX_SAFE_INTEGER);
  const shape = fields.shape("shape");
  return type === "float32"
    ? { type, shape, offset }
    : { type, shape, offset, scales: fields.integer("scales", 0, Number.MAX_SAFE_INTEGER) };
}
