import { ModelFileError, type ModelHeader, readModelHeader } from "../encoder/mod.ts";
import type { BuiltinModelOptions } from "./options.ts";
import { readRange } from "./read_range.ts";

/** Size of the start of a file that is read first, in bytes: most headers are shorter. */
const START = 2 ** 15;
/** Maximum size of the start of a file with a long header, in bytes. */
const MAX_START = 2 ** 20 + 64;
/** Size of the checksum at the end of a file, in bytes. */
const CHECKSUM_LENGTH = 32;

/** Fields of {@linkcode BuiltinModelOptions} that come from the model file. */
export type ModelInfo = Pick<
  BuiltinModelOptions,
  "name" | "path" | "checksum" | "queryPrefix" | "documentPrefix"
>;

/**
 * Reads the header and the checksum of a model file. The rest is read, and the checksum is verified, when the
 * model is loaded.
 *
 * @throws {ModelFileError} When the start of the file is invalid.
 */
export async function readModelInfo(path: string): Promise<ModelInfo> {
  // Not the open file's stat: files inside an executable do not support it.
  const { size } = await Deno.stat(path);
  using file = await Deno.open(path);
  const header = await readHeader(file, size);
  const checksum = await readRange(file, Math.max(0, size - CHECKSUM_LENGTH), CHECKSUM_LENGTH);
  return {
    name: header.name,
    path,
    checksum: checksum.toHex(),
    queryPrefix: header.prefixes.query,
    documentPrefix: header.prefixes.document,
  };
}

async function readHeader(file: Deno.FsFile, size: number): Promise<ModelHeader> {
  try {
    return readModelHeader(await readRange(file, 0, Math.min(size, START)));
  } catch (error) {
    if (!(error instanceof ModelFileError) || error.code !== "truncated") throw error;
    return readModelHeader(await readRange(file, 0, Math.min(size, MAX_START)));
  }
}
