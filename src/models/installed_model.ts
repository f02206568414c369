import { Encoder, EncoderWeights, type ModelFile, ModelFileError, readModelFile } from "../encoder/mod.ts";
import { createTokenizer, type Tokenizer } from "../encoder/tokenizer/mod.ts";
import { ModelError } from "./errors.ts";

/** An installed model. */
export interface InstalledModel {
  readonly path: string;
  /** Size of the model file, in bytes. */
  readonly bytes: number;
  readonly name: string;
  /** SPDX identifier of the license of the weights. */
  readonly license: string;
}

/**
 * Reads a model file and its tokenizer, which verifies both.
 *
 * @throws {ModelError} `invalid_model`.
 */
export async function readInstalledModel(path: string): Promise<InstalledModel> {
  return await read(path, () => {});
}

/**
 * Reads a model file like {@linkcode readInstalledModel}, and encodes a text: a file can be intact, and still have
 * sizes that the kernel does not support, more tokens than embeddings, or weights that are no numbers.
 *
 * @throws {ModelError} `invalid_model`.
 */
export async function readWorkingModel(path: string): Promise<InstalledModel> {
  return await read(path, (file, tokenizer) => {
    const words = file.matrix("embeddings.word_embeddings.weight").rows;
    if (tokenizer.size > words) {
      throw new RangeError(`it must have an embedding of each of its ${tokenizer.size} tokens, got ${words}`);
    }
    const encoder = new Encoder(EncoderWeights.load(file).share(0));
    const [vector] = encoder.encode([tokenizer.encode("The quick brown fox", encoder.maxTokens)]);
    if (!vector?.every(Number.isFinite)) throw new RangeError("its vectors must have finite numbers");
  });
}

async function read(
  path: string,
  verify: (file: ModelFile, tokenizer: Tokenizer) => void,
): Promise<InstalledModel> {
  const bytes = await Deno.readFile(path);
  try {
    const file = readModelFile(bytes);
    const { header: { name, license, tokenizer }, vocabulary } = file;
    verify(file, createTokenizer(tokenizer, vocabulary));
    return { path, bytes: bytes.length, name, license };
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause;
    const problem = cause instanceof ModelFileError
      ? cause.message
      : `Cannot read the model: ${cause.message}`;
    throw new ModelError("invalid_model", problem, { cause });
  }
}
