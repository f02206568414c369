import { assert, assertEquals, assertThrows } from "@std/assert";
import { Encoder, EncoderWeights, type ModelFile, readModelFile } from "../../src/encoder/mod.ts";
import { seededRandom } from "../support/random.ts";
import { cosine, referenceVector } from "../support/reference_encoder.ts";
import { tinyModel, type TinyModelOptions } from "../support/tiny_model.ts";

function load(options: TinyModelOptions = {}): { file: ModelFile; encoder: Encoder; random: TokenMaker } {
  const file = readModelFile(tinyModel(options));
  return { file, encoder: new Encoder(EncoderWeights.load(file).share(0)), random: tokenMaker(file) };
}

type TokenMaker = (length: number) => Uint32Array<ArrayBuffer>;

function tokenMaker(file: ModelFile): TokenMaker {
  const random = seededRandom(7);
  const { rows } = file.matrix("embeddings.word_embeddings.weight");
  return (length) => Uint32Array.from({ length }, () => random.int(rows));
}

const VARIANTS: Record<string, TinyModelOptions> = {
  "the mean of the hidden states": {},
  "the first hidden state": { pooling: "cls" },
  "four heads of 16 and a feed-forward network of 256": { architecture: { heads: 4, intermediate: 256 } },
  "hidden states of 128 and positions from 2": {
    architecture: { hidden: 128, heads: 1, position_offset: 2 },
  },
};

for (const [name, options] of Object.entries(VARIANTS)) {
  Deno.test(`vectors have the direction of those computed in float64: ${name}`, () => {
    const { file, encoder, random } = load(options);
    for (const length of [1, 2, 3, 4, 7, 8, 9, 31, 32]) {
      const ids = random(length);
      const [vector] = encoder.encode([ids]);
      const actual = cosine(vector!, referenceVector(file, ids));
      assert(actual > 0.9999, `${length} tokens: ${actual}`);
    }
  });
}

Deno.test("vectors have length 1 and the dimensions of the model", () => {
  const { encoder, random } = load({ architecture: { hidden: 128 } });
  assertEquals(encoder.dimensions, 128);
  const [vector] = encoder.encode([random(9)]);
  assertEquals(vector!.length, 128);
  assert(Math.abs(Math.hypot(...vector!) - 1) < 1e-6);
});

Deno.test("a vector does not depend on the other texts", () => {
  const { encoder, random } = load();
  const texts = Array.from({ length: 100 }, (_, i) => random(1 + i % 32));
  const together = encoder.encode(texts);
  assertEquals(together.length, 100);
  for (const [i, text] of texts.entries()) assertEquals(encoder.encode([text])[0], together[i]);
});

Deno.test("encoders that share weights compute the same vectors", () => {
  const file = readModelFile(tinyModel());
  const weights = EncoderWeights.load(file, { encoders: 2 });
  const text = tokenMaker(file)(20);
  const [first, second] = [0, 1].map((index) => new Encoder(weights.share(index)).encode([text]));
  assertEquals(first, second);
  assertThrows(() => weights.share(2), RangeError, "must be below 2, got 2");
});

Deno.test("weights can be sent to another thread", async () => {
  const file = readModelFile(tinyModel());
  const weights = EncoderWeights.load(file, { encoders: 2 });
  const text = tokenMaker(file)(20);
  const worker = new Worker(new URL("./encoder_worker.ts", import.meta.url), { type: "module" });
  try {
    const { promise, resolve } = Promise.withResolvers<MessageEvent>();
    worker.onmessage = resolve;
    worker.postMessage({ weights: weights.share(1), text });
    assertEquals((await promise).data, new Encoder(weights.share(0)).encode([text]));
  } finally {
    worker.terminate();
  }
});

Deno.test("without texts there are no vectors", () => {
  assertEquals(load().encoder.encode([]), []);
});

Deno.test("a text that the encoder cannot process is refused, and the next one encoded", () => {
  const { file, encoder, random } = load();
  const { rows } = file.matrix("embeddings.word_embeddings.weight");
  const encode = (...ids: number[]) => encoder.encode([random(3), Uint32Array.from(ids)]);
  assertThrows(() => encode(), RangeError, "must have 1 to 32 tokens, got 0");
  assertThrows(() => encode(...random(33)), RangeError, "must have 1 to 32 tokens, got 33");
  assertThrows(() => encode(0, rows), RangeError, `must be below ${rows}, got ${rows}`);
  assertThrows(() => encode(2 ** 32 - 1), RangeError, "got 4294967295");
  assertEquals(encode(0, rows - 1).length, 2);
});

Deno.test("a model with sizes that the kernel does not support is refused", () => {
  const refuse = (architecture: TinyModelOptions["architecture"], message: string) =>
    assertThrows(() => load({ architecture: architecture! }), RangeError, message);
  refuse({ hidden: 96 }, "hidden must be a multiple of 64, got 96");
  refuse({ intermediate: 100 }, "intermediate must be a multiple of 64, got 100");
  refuse({ heads: 16 }, "hidden / heads must be a multiple of 8, got 4");
});

Deno.test("weights take the memory of the model and of the scratch regions", () => {
  const file = readModelFile(tinyModel());
  const [one, three] = [1, 3].map((encoders) => EncoderWeights.load(file, { encoders }).bytes);
  const MIB = 2 ** 20;
  assert(one! < MIB, `${one} bytes`);
  assert(three! - one! < MIB, `${three! - one!} bytes`);
});
