import { ModelFileError, readModelFile } from "../encoder/mod.ts";
import { createTokenizer } from "../encoder/tokenizer/mod.ts";
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
  const bytes = await Deno.readFile(path);
  try {
    const { header, vocabulary } = readModelFile(bytes);
    createTokenizer(header.tokenizer, vocabulary);
    const { name, license } = header;
    return { path, bytes: bytes.length, name, license };
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause;
    const problem = cause instanceof ModelFileError
      ? cause.message
      : `Cannot read the model: ${cause.message}`;
    throw new ModelError("invalid_model", problem, { cause });
  }
}
