import { delay } from "../async/mod.ts";
import type { Logger } from "../telemetry/mod.ts";
import { CATALOGUE, type CatalogueModel, findModel } from "./catalogue.ts";
import { ModelError } from "./errors.ts";
import { installModel } from "./install.ts";
import { locateModel, modelFolder, programFolders } from "./locate.ts";
import { isInstalling } from "./staging_folder.ts";

/** Interval between checks whether another program has installed the model, in milliseconds. */
const CHECK_MS = 500;

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
  /** Folders in which another program may be installing the model. @default {programFolders} */
  readonly folders?: readonly string[];
  /** Waits until the time is over or the signal aborts. */
  readonly wait?: typeof delay;
}

/**
 * Returns the path of a model file. One of the catalogue that is not installed is downloaded first, in the background:
 * other work of the program continues. If another program is installing a model, such as `deno task start` next to the
 * server, waits for that instead.
 *
 * Logs the start and the end of a download, but not its failure.
 *
 * @throws {ModelError} When the model is unavailable; the message names the command that helps.
 * @throws The reason of `signal`.
 */
export async function ensureModel(
  name: string,
  {
    dataDir,
    mayDownload,
    signal,
    log,
    catalogue = CATALOGUE,
    folders = programFolders(),
    wait = delay,
    ...options
  }: EnsureModelOptions,
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
  while (await isAnyInstalling(folders)) {
    await wait(CHECK_MS, signal);
    signal.throwIfAborted();
    const installed = await locateModel(name, { dataDir });
    if (installed) return installed;
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
    // Agents see the message, but must not see the path, which is in the cause.
    const problem = cause.code === "storage"
      ? "Cannot store the model in the data directory: see the log of the engine"
      : cause.message;
    throw new ModelError(cause.code, `${problem}. To install the model: ${advice(model)}`, { cause });
  }
}

async function isAnyInstalling(folders: readonly string[]): Promise<boolean> {
  return (await Promise.all(folders.map(isInstalling))).some(Boolean);
}

function advice({ name }: CatalogueModel): string {
  return `run kb-mcp model install ${name}, or kb-mcp model install FILE with a copy of it`;
}
