/**
 * Compares the vectors of the built-in model with those of its float32 checkpoint, `reference_vectors.json`.
 *
 * These were computed with numpy in float32 from the checkpoint's `model.safetensors`, as the layers of BERT define them,
 * for the tokens of its `tokenizer.json` (Python package `tokenizers`, at most 256); stored as little-endian float16.
 */
import { assert } from "@std/assert";
import { Encoder, EncoderWeights, readModelFile } from "../../src/encoder/mod.ts";
import { createTokenizer } from "../../src/encoder/tokenizer/mod.ts";
import { testWithModel } from "../support/real_model.ts";
import { cosine } from "../support/reference_encoder.ts";
import references from "./reference_vectors.json" with { type: "json" };

testWithModel(
  "vectors of the built-in model have a cosine of at least 0.999 to those of float32",
  async () => {
    const path = new URL("../../models/all-MiniLM-L6-v2.kbmodel", import.meta.url);
    const file = readModelFile(await Deno.readFile(path));
    const tokenizer = createTokenizer(file.header.tokenizer, file.vocabulary);
    const encoder = new Encoder(EncoderWeights.load(file).share(0));
    const vectors = encoder.encode(references.map(({ text }) => tokenizer.encode(text, encoder.maxTokens)));
    for (const [index, { text, vector }] of references.entries()) {
      const expected = new Float16Array(Uint8Array.fromBase64(vector).buffer);
      const actual = cosine(vectors[index]!, expected);
      assert(actual >= 0.999, `${JSON.stringify(text.slice(0, 50))}: ${actual}`);
    }
  },
);
