import { encoderTensors } from "../../src/encoder/mod.ts";
import { seededRandom } from "./random.ts";
import { concat, tinyDescription } from "./tiny_model.ts";

const VOCABULARY = [
  "[PAD]",
  "[UNK]",
  "[CLS]",
  "[SEP]",
  "[MASK]",
  ..."abcdefghijklmnopqrstuvwxyz".split(""),
  "heron",
];

/** A tensor to write: its type, shape and little-endian bytes. */
export interface CheckpointTensor {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly bytes: Uint8Array;
}

/** Files of a checkpoint by path. */
export type Checkpoint = Record<string, Uint8Array<ArrayBuffer>>;

/** Returns the tensors of the tiny model with random weights. */
export function tinyTensors(prefix = ""): Record<string, CheckpointTensor> {
  const random = seededRandom(7);
  const tensors: Record<string, CheckpointTensor> = {};
  for (const [name, { shape }] of encoderTensors(tinyDescription().architecture, VOCABULARY.length)) {
    const length = shape.reduce((product, each) => product * each, 1);
    const values = Float32Array.from({ length }, () => random.next() - 0.5);
    tensors[`${prefix}${name}`] = { dtype: "F32", shape, bytes: new Uint8Array(values.buffer) };
  }
  return tensors;
}

/** Returns the files of a checkpoint of the tiny model, as on the model hub. */
export function tinyCheckpoint(
  { tensors = tinyTensors(), config = {}, files = {} }: {
    readonly tensors?: Record<string, CheckpointTensor>;
    readonly config?: Record<string, unknown>;
    readonly files?: Record<string, unknown>;
  } = {},
): Checkpoint {
  const { layers, hidden, heads, intermediate, positions, layer_norm_epsilon } =
    tinyDescription().architecture;
  return {
    "config.json": json({
      model_type: "bert",
      num_hidden_layers: layers,
      hidden_size: hidden,
      num_attention_heads: heads,
      intermediate_size: intermediate,
      max_position_embeddings: positions,
      layer_norm_eps: layer_norm_epsilon,
      hidden_act: "gelu",
      ...config,
    }),
    "tokenizer.json": json({
      version: "1.0",
      added_tokens: VOCABULARY.slice(0, 5).map((content, id) => ({
        id,
        content,
        special: true,
        single_word: false,
        lstrip: false,
        rstrip: false,
        normalized: false,
      })),
      normalizer: {
        type: "BertNormalizer",
        clean_text: true,
        handle_chinese_chars: true,
        strip_accents: null,
        lowercase: true,
      },
      pre_tokenizer: { type: "BertPreTokenizer" },
      post_processor: {
        type: "TemplateProcessing",
        single: [
          { SpecialToken: { id: "[CLS]", type_id: 0 } },
          { Sequence: { id: "A", type_id: 0 } },
          { SpecialToken: { id: "[SEP]", type_id: 0 } },
        ],
        pair: [],
        special_tokens: {
          "[CLS]": { id: "[CLS]", ids: [2], tokens: ["[CLS]"] },
          "[SEP]": { id: "[SEP]", ids: [3], tokens: ["[SEP]"] },
        },
      },
      model: {
        type: "WordPiece",
        unk_token: "[UNK]",
        continuing_subword_prefix: "##",
        max_input_chars_per_word: 100,
        vocab: Object.fromEntries(VOCABULARY.map((token, id) => [token, id])),
      },
    }),
    "model.safetensors": safetensors(tensors),
    ...Object.fromEntries(Object.entries(files).map(([name, content]) => [name, json(content)])),
  };
}

/** Encodes tensors in the format of safetensors. */
export function safetensors(tensors: Record<string, CheckpointTensor>): Uint8Array<ArrayBuffer> {
  let length = 0;
  const header: Record<string, unknown> = { __metadata__: { format: "pt" } };
  for (const [name, { dtype, shape, bytes }] of Object.entries(tensors)) {
    header[name] = { dtype, shape, data_offsets: [length, length += bytes.length] };
  }
  const encoded = json(header);
  const prefix = new Uint8Array(8);
  new DataView(prefix.buffer).setBigUint64(0, BigInt(encoded.length), true);
  return concat([prefix, encoded, ...Object.values(tensors).map(({ bytes }) => bytes)]);
}

/** Writes the files to a new temporary folder, which is removed at the end of the scope. */
export async function writeCheckpoint(files: Checkpoint): Promise<{ path: string } & AsyncDisposable> {
  const path = await Deno.makeTempDir();
  for (const [name, bytes] of Object.entries(files)) {
    await Deno.mkdir(`${path}/${name}`.replace(/\/[^/]*$/, ""), { recursive: true });
    await Deno.writeFile(`${path}/${name}`, bytes);
  }
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

function json(value: unknown): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value));
}
