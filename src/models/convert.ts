import { createHash } from "node:crypto";
import { encodeModelFile, encoderTensors, type QuantizedMatrix } from "../encoder/mod.ts";
import { convertTokenizer } from "../encoder/tokenizer/mod.ts";
import type { CheckpointDescription } from "./checkpoint.ts";
import { ModelError } from "./errors.ts";
import { quantizeRows } from "./quantize.ts";
import { Safetensors } from "./safetensors.ts";

/** Number of weights that are read and quantized at once: some milliseconds of work, and 1 MiB. */
const BLOCK_WEIGHTS = 2 ** 18;

const WORDS = "embeddings.word_embeddings.weight";

/** Options of {@linkcode convertCheckpoint}. */
export interface ConvertOptions {
  readonly description: CheckpointDescription;
  /** Cancels the conversion. */
  readonly signal?: AbortSignal;
}

/**
 * Converts the checkpoint in a folder (`model.safetensors` and `tokenizer.json`) to a model file.
 *
 * The bytes depend on the checkpoint and the description only. Other work of the program continues meanwhile: the
 * weights are converted block by block.
 *
 * @param output Path of a new file.
 * @returns The SHA-256 of the model file.
 * @throws {ModelError} `invalid_model` when the encoder does not support the checkpoint.
 */
export async function convertCheckpoint(
  directory: string,
  output: string,
  { description, signal }: ConvertOptions,
): Promise<string> {
  const { header: tokenizer, vocabulary } = await readTokenizer(`${directory}/tokenizer.json`);
  using weights = Safetensors.open(`${directory}/model.safetensors`);
  const prefix = findPrefix(weights);
  const [vocabularySize = 0] = weights.shape(`${prefix}${WORDS}`) ?? [];
  const types = encoderTensors(description.architecture, vocabularySize);
  const shapeOf = (name: string): readonly number[] => {
    const expected = types.get(name)?.shape ?? [];
    const actual = weights.shape(`${prefix}${name}`);
    if (!isCompatible(name, actual, expected)) {
      throw invalid(
        `tensor ${name} must have the shape [${expected.join(", ")}], got [${actual?.join(", ") ?? ""}]`,
      );
    }
    return expected;
  };
  const chunks = encodeModelFile({ ...description, tokenizer: { ...tokenizer } }, {
    vocabulary,
    vocabularySize,
    matrix: (name) => quantizedBlocks(weights, `${prefix}${name}`, shapeOf(name)),
    floats: (name) => {
      const count = shapeOf(name).reduce((product, each) => product * each, 1);
      const values = weights.read(`${prefix}${name}`, 0, count);
      if (!values.every(Number.isFinite)) throw invalid(`tensor ${name} must have finite values`);
      return values;
    },
  });
  const hash = createHash("sha256");
  using file = await Deno.open(output, { write: true, createNew: true });
  for (const chunk of chunks) {
    signal?.throwIfAborted();
    hash.update(chunk);
    await writeFully(file, chunk);
  }
  await file.syncData();
  return hash.digest("hex");
}

async function readTokenizer(path: string): Promise<ReturnType<typeof convertTokenizer>> {
  const json = await Deno.readTextFile(path);
  try {
    return convertTokenizer(json);
  } catch (cause) {
    throw invalid(`tokenizer.json is not supported: ${cause instanceof Error ? cause.message : cause}`, {
      cause,
    });
  }
}

/** Checkpoints of whole models name their encoder: `bert.embeddings…`, `model.embeddings…`. */
function findPrefix(weights: Safetensors): string {
  for (const name of weights.names()) {
    if (name === WORDS || name.endsWith(`.${WORDS}`)) return name.slice(0, -WORDS.length);
  }
  throw invalid(`the checkpoint has no tensor ${WORDS}`);
}

/** Of the token type embeddings, the first row is used, and there may be more. */
function isCompatible(
  name: string,
  actual: readonly number[] | undefined,
  expected: readonly number[],
): boolean {
  if (actual?.length !== expected.length) return false;
  if (name !== "embeddings.token_type_embeddings.weight") return actual.join() === expected.join();
  return actual[0]! >= 1 && actual[1] === expected[1];
}

function* quantizedBlocks(
  weights: Safetensors,
  name: string,
  [rows = 0, columns = 0]: readonly number[],
): Generator<QuantizedMatrix> {
  const blockRows = Math.max(1, Math.floor(BLOCK_WEIGHTS / columns));
  for (let row = 0; row < rows; row += blockRows) {
    const count = Math.min(blockRows, rows - row);
    const block = quantizeRows(weights.read(name, row * columns, count * columns), columns);
    if (!block.scales.every(Number.isFinite)) throw invalid(`tensor ${name} must have finite values`);
    yield block;
  }
}

async function writeFully(file: Deno.FsFile, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length;) written += await file.write(bytes.subarray(written));
}

function invalid(problem: string, options?: ErrorOptions): ModelError {
  return new ModelError("invalid_model", `Cannot convert the model: ${problem}`, options);
}
