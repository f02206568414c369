import type { Logger } from "../telemetry/mod.ts";
import { CATALOGUE, type CatalogueModel, findModel } from "./catalogue.ts";
import { ModelError } from "./errors.ts";
import { installModel } from "./install.ts";
import { locateModel, modelFolder } from "./locate.ts";

/** Options of {@linkcode ensureModel}. */
export interface EnsureModelOptions {
  readonly dataDir: string;
  /** Whether the settings allow a download. */
  readonly mayDownload: boolean;
  /** Cancels the download, which leaves nothing behind. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** @default {CATALOGUE} */
  readonly catalogue?: readonly CatalogueModel[];
  /** @default {globalThis.fetch} */
  readonly fetch?: typeof globalThis.fetch;
}

/**
 * Returns the path of a model file. One of the catalogue that is not installed is downloaded first, in the background:
 * other work of the program continues.
 *
 * Logs the start and the end of a download, but not its failure.
 *
 * @throws {ModelError} When the model is unavailable; the message names the command that helps.
 * @throws The reason of `signal`.
 */
export async function ensureModel(
  name: string,
  { dataDir, mayDownload, signal, log, catalogue = CATALOGUE, ...options }: EnsureModelOptions,
): Promise<{ path: string }> {
  const located = await locateModel(name, { dataDir });
  if (located) return located;
  const model = findModel(name, catalogue);
  if (!model) {
    throw new ModelError(
      "unknown_model",
      `The model ${name} is not installed: kb-mcp model list prints the names, kb-mcp model install FILE adds one`,
    );
  }
  if (!mayDownload) {
    throw new ModelError("download_forbidden", `The model ${name} is not installed: ${advice(model)}`);
  }
  const { license, origin, revision } = model;
  log.info("downloading the embedding model", { name: model.name, license, origin, revision });
  try {
    const { path, bytes } = await installModel(name, {
      ...options,
      folder: modelFolder(dataDir),
      signal,
      catalogue,
    });
    log.info("installed the embedding model", { name: model.name, bytes, path });
    return { path };
  } catch (cause) {
    if (!(cause instanceof ModelError)) throw cause;
    throw new ModelError(cause.code, `${cause.message}. To install the model: ${advice(model)}`, { cause });
  }
}

function advice({ name }: CatalogueModel): string {
  return `run kb-mcp model install ${name}, or kb-mcp model install FILE with a copy of it`;
}
