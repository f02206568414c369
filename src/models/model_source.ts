import { basename } from "node:path";
import { ModelError } from "./errors.ts";
import { MODEL_EXTENSION } from "./locate.ts";

/** Kind of a source of models. */
export type SourceKind = "folder" | "weights" | "archive" | "model";

/**
 * Returns the kind of a file or folder, by its first bytes.
 *
 * @throws {ModelError} `invalid_model`.
 */
export async function sourceKind(path: string): Promise<SourceKind> {
  let start: string;
  try {
    if ((await Deno.stat(path)).isDirectory) return "folder";
    using file = await Deno.open(path);
    const bytes = new Uint8Array(8);
    await file.read(bytes);
    start = new TextDecoder("latin1").decode(bytes);
  } catch (cause) {
    throw new ModelError(
      "invalid_model",
      `Cannot read ${path}: ${cause instanceof Error ? cause.message : cause}`,
      {
        cause,
      },
    );
  }
  if (start === "KBMODEL1") return "model";
  if (start.startsWith("PK\x03\x04")) return "archive";
  if (path.endsWith(".safetensors")) return "weights";
  throw new ModelError(
    "invalid_model",
    `${path} must be a ${MODEL_EXTENSION} file, a folder with a checkpoint (config.json, tokenizer.json, model.safetensors), ` +
      "or an archive with one",
  );
}

/** Returns a model name made from the name of a folder or archive. */
export function modelName(path: string): string {
  const name = basename(path).replace(/\.(?:zip|whl)$/i, "").replace(/[^A-Za-z0-9._-]+/g, "-").replace(
    /^[^A-Za-z0-9]+/,
    "",
  );
  return name.slice(0, 100) || "model";
}
