import { assert, assertEquals, assertRejects } from "@std/assert";
import { installModelFile, ModelError } from "../../src/models/mod.ts";
import { readModelFile } from "../../src/encoder/mod.ts";
import {
  type Checkpoint,
  safetensors,
  tinyCheckpoint,
  tinyTensors,
  writeCheckpoint,
} from "../support/tiny_checkpoint.ts";

const WORDS = "embeddings.word_embeddings.weight";
const BIAS = "encoder.layer.1.output.dense.bias";

/** Converts a checkpoint and returns the bytes of the model file. */
async function convert(files: Checkpoint, name = "tiny"): Promise<Uint8Array> {
  await using checkpoint = await writeCheckpoint(files);
  await using output = await writeCheckpoint({});
  const { path } = await installModelFile(checkpoint.path, { folder: output.path, name });
  return await Deno.readFile(path);
}

async function assertInvalid(files: Checkpoint, message: string): Promise<void> {
  const error = await assertRejects(() => convert(files), ModelError, message);
  assertEquals(error.code, "invalid_model");
}

Deno.test("a checkpoint converts to the same bytes on every machine", async () => {
  const digest = await crypto.subtle.digest("SHA-256", (await convert(tinyCheckpoint())).slice());
  assertEquals(
    new Uint8Array(digest).toHex(),
    "2463f76391b68b78651e3d688e90b798b9955fbce6c2ce80ad08e1b3166362d2",
  );
});

Deno.test("a converted matrix has 8 bits per weight, scaled by the largest of 64 columns", async () => {
  const tensors = tinyTensors();
  const { [WORDS]: words } = tensors;
  const values = new Float32Array(words!.bytes.buffer);
  values.fill(0, 0, 64);
  values.set([12.7, -12.7, 0.05, -0.05, 0.149, 6.36], 64);
  values.fill(0, 70, 128);
  const matrix = readModelFile(await convert(tinyCheckpoint({ tensors }))).matrix(WORDS);
  assertEquals([...matrix.values.subarray(0, 64)], Array(64).fill(0));
  assertEquals([...matrix.values.subarray(64, 70)], [127, -127, 1, 0, 1, 64]);
  assertEquals([...matrix.scales.subarray(0, 2)], [0, Math.fround(0.1)]);
  for (let index = 128; index < values.length; index++) {
    const scale = matrix.scales[Math.floor(index / 64)]!;
    assert(Math.abs(values[index]! - matrix.values[index]! * scale) <= scale * 0.5001);
  }
});

Deno.test("the other tensors stay as they are, and of the token types the first remains", async () => {
  const tensors = tinyTensors();
  const types = new Float32Array(128).map((_, index) => index);
  tensors["embeddings.token_type_embeddings.weight"] = {
    dtype: "F32",
    shape: [2, 64],
    bytes: new Uint8Array(types.buffer),
  };
  const file = readModelFile(await convert(tinyCheckpoint({ tensors })));
  assertEquals(file.floats(BIAS), new Float32Array(tensors[BIAS]!.bytes.buffer));
  assertEquals(file.floats("embeddings.token_type_embeddings.weight"), types.subarray(0, 64));
});

Deno.test("half-precision weights, a prefix of the names and further tensors make no difference", async () => {
  const plain = tinyTensors();
  const bfloat: typeof plain = {};
  const half: typeof plain = { "bert.pooler.dense.bias": plain[BIAS]! };
  const rounded: typeof plain = {};
  for (const [name, { shape, bytes }] of Object.entries(plain)) {
    // Sixteenths are exact in every type.
    const values = new Float32Array(bytes.buffer).map((value) => Math.round(value * 16) / 16);
    const bits = Uint16Array.from(new Uint32Array(values.buffer), (each) => each >>> 16);
    rounded[name] = { dtype: "F32", shape, bytes: new Uint8Array(values.buffer) };
    bfloat[name] = { dtype: "BF16", shape, bytes: new Uint8Array(bits.buffer) };
    half[`bert.${name}`] = { dtype: "F16", shape, bytes: new Uint8Array(Float16Array.from(values).buffer) };
  }
  half["bert.embeddings.position_ids"] = { dtype: "I64", shape: [1, 2], bytes: new Uint8Array(16) };
  const expected = await convert(tinyCheckpoint({ tensors: rounded }));
  assertEquals(await convert(tinyCheckpoint({ tensors: half })), expected);
  assertEquals(await convert(tinyCheckpoint({ tensors: bfloat })), expected);
});

Deno.test("pooling, prefixes, length and license are read from the checkpoint", async () => {
  const { header } = readModelFile(
    await convert(tinyCheckpoint({
      files: {
        "1_Pooling/config.json": { pooling_mode_cls_token: true, pooling_mode_mean_tokens: false },
        "config_sentence_transformers.json": { prompts: { query: "query: ", passage: "passage: " } },
        "sentence_bert_config.json": { max_seq_length: 40 },
        "modules.json": [{ type: "sentence_transformers.models.Transformer" }],
        "README.md": "---\ntags:\n- x\nlicense: mit\n---\n# Tiny\n",
      },
    })),
  );
  assertEquals([header.pooling, header.prefixes], ["cls", { query: "query: ", document: "passage: " }]);
  assertEquals([header.architecture.max_tokens, header.license, header.name], [40, "mit", "tiny"]);
});

Deno.test("RoBERTa's positions start after that of the padding", async () => {
  const { header } = readModelFile(
    await convert(tinyCheckpoint({ config: { model_type: "xlm-roberta", pad_token_id: 1 } })),
  );
  assertEquals([header.architecture.position_offset, header.architecture.max_tokens], [2, 46]);
});

Deno.test("a checkpoint that the encoder does not support is rejected by field", async () => {
  const without = (name: string) => {
    const files = tinyCheckpoint();
    delete files[name];
    return files;
  };
  await assertInvalid(without("config.json"), "must contain config.json");
  await assertInvalid(without("tokenizer.json"), "must contain tokenizer.json");
  await assertInvalid(without("model.safetensors"), "must contain model.safetensors");
  await assertInvalid(
    tinyCheckpoint({ config: { model_type: "t5" } }),
    "config.json must describe a BERT encoder: model_type",
  );
  await assertInvalid(tinyCheckpoint({ config: { hidden_act: "relu" } }), "hidden_act");
  await assertInvalid(tinyCheckpoint({ config: { hidden_size: 1e9 } }), "hidden_size");
  await assertInvalid(tinyCheckpoint({ config: { hidden_size: 128 } }), "must have the shape");
  await assertInvalid(tinyCheckpoint({ files: { "config.json": "{" } }), "config.json must be JSON");
  await assertInvalid(
    tinyCheckpoint({ files: { "1_Pooling/config.json": { pooling_mode_max_tokens: true } } }),
    "1_Pooling/config.json must describe",
  );
  await assertInvalid(
    tinyCheckpoint({ files: { "modules.json": [{ type: "sentence_transformers.models.Dense" }] } }),
    "further layers are not supported",
  );
  await assertInvalid(
    tinyCheckpoint({ files: { "tokenizer.json": "{}" } }),
    "tokenizer.json is not supported",
  );
});

Deno.test("weights that are cut, inconsistent or not finite are rejected", async () => {
  const with_ = (bytes: Uint8Array<ArrayBuffer>) => ({ ...tinyCheckpoint(), "model.safetensors": bytes });
  const whole = safetensors(tinyTensors());
  await assertInvalid(with_(new Uint8Array(4)), "ends early");
  await assertInvalid(with_(new Uint8Array(64).fill(255)), "the header of the weights must have at most");
  await assertInvalid(with_(whole.slice(0, 100)), "the header of the weights must have at most");
  await assertInvalid(with_(whole.slice(0, -1)), "bytes within the file");
  await assertInvalid(
    with_(safetensors({ [WORDS]: { dtype: "F32", shape: [2 ** 40], bytes: new Uint8Array(4) } })),
    WORDS,
  );
  await assertInvalid(with_(safetensors({ other: tinyTensors()[BIAS]! })), `no tensor ${WORDS}`);
  const { [BIAS]: _, ...missing } = tinyTensors();
  await assertInvalid(with_(safetensors(missing)), `tensor ${BIAS} must have the shape [64]`);
  for (const name of [WORDS, BIAS]) {
    const tensors = tinyTensors();
    new Float32Array(tensors[name]!.bytes.buffer)[3] = NaN;
    await assertInvalid(with_(safetensors(tensors)), `tensor ${name} must have finite values`);
  }
});
