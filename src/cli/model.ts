import { type Config, ConfigError } from "../config/mod.ts";
import {
  CATALOGUE,
  DEFAULT_MODEL,
  findModel,
  findOcrLanguage,
  type InstalledModel,
  installModel,
  installModelFile,
  installOcrFile,
  installOcrLanguage,
  isOcrFile,
  ModelError,
  modelFolder,
  OCR_LANGUAGES,
} from "../models/mod.ts";
import { formatJson } from "./format.ts";
import { formatBytes, formatModels, listModels } from "./list_models.ts";
import { StopSignal } from "./stop_signal.ts";

/** Minimum interval of progress lines, in milliseconds. */
const PROGRESS_MS = 1000;

/** Parts of the process that the commands use. */
export interface ModelCommandContext {
  /** Writes to standard output. */
  print(text: string): void;
  /** Writes a message to standard error. */
  printError(text: string): void;
}

/** Implements `kb-mcp model list`. */
export async function listModelsCommand(
  { json }: { readonly json: boolean },
  config: Config,
  dataDir: string,
  context: Pick<ModelCommandContext, "print">,
): Promise<void> {
  const [models, active] = [await listModels(dataDir), activeModel(config)];
  if (!json) return context.print(formatModels(models, active));
  const rows = models.map(({ name, state, bytes = null, license, languages }) => ({
    name,
    state,
    active: isSameModel(name, active),
    bytes,
    license,
    languages,
  }));
  context.print(formatJson({ models: rows }));
}

/** Returns the name of the model that the settings select; undefined: none of these. */
function activeModel(config: Config): string | undefined {
  const { KB_EMBEDDINGS_URL: url, KB_EMBEDDINGS_MODEL: name = "builtin" } = config;
  if (url !== undefined || name === "off") return undefined;
  return name === "builtin" ? DEFAULT_MODEL : name;
}

/** Options of `kb-mcp model install`. */
export interface InstallOptions {
  /** Name of a model, or a path. */
  readonly source: string;
  /** Name for the model of a checkpoint. */
  readonly name: string | undefined;
  /** Whether to print JSON, and the progress as messages. */
  readonly json?: boolean | undefined;
}

/**
 * Implements `kb-mcp model install NAME|FILE`.
 *
 * @returns The exit status: 0; 1 when the model is unavailable; 128 + N when stopped by signal N.
 * @throws {ConfigError} When an argument or setting cannot be used.
 */
export async function installModelCommand(
  { source, name, json = false }: InstallOptions,
  config: Config,
  dataDir: string,
  context: ModelCommandContext,
): Promise<number> {
  const [folder, active] = [modelFolder(dataDir), activeModel(config)];
  const print = (text: string) => json ? context.printError(text.trimEnd()) : context.print(text);
  const known = findModel(source);
  const ocr = findOcrLanguage(source);
  if (ocr && name !== undefined) throw new ConfigError("--name must be used with a file, not with a name");
  if (known && name !== undefined) throw new ConfigError("--name must be used with a file, not with a name");
  if (!known && !ocr && !await exists(source)) {
    const names = [...CATALOGUE, ...OCR_LANGUAGES].map((model) => model.name).join(", ");
    throw new ConfigError(`install takes an existing file or one of ${names}, got ${JSON.stringify(source)}`);
  }
  using stop = new StopSignal();
  const { signal } = stop;
  try {
    if (ocr || isOcrFile(source)) {
      const options = { folder, signal, onProgress: progressPrinter(print) };
      if (ocr) {
        print(`Downloading ${ocr.name} (${ocr.language}, ${ocr.license}) from ${new URL(ocr.url).origin}\n`);
      }
      const installed = ocr
        ? await installOcrLanguage(ocr.name, options)
        : await installOcrFile(source, options);
      if (json) {
        const { name, bytes, path } = installed;
        context.print(formatJson({ name, bytes, path }));
        return 0;
      }
      print(`Installed ${installed.name} (${formatBytes(installed.bytes)}) as ${installed.path}\n`);
      print("A server that is running uses it after a restart.\n");
      return 0;
    }
    if (known) print(`Downloading ${known.name} (${known.license}) from ${known.origin}\n`);
    const model = known
      ? await installModel(known.name, { folder, signal, onProgress: progressPrinter(print) })
      : await installModelFile(source, { folder, signal, name });
    if (json) {
      const { name, license, bytes, path } = model;
      context.print(formatJson({ name, bytes, path, license, active: isSameModel(name, active) }));
    } else print(describeInstalled(model, active));
    return 0;
  } catch (error) {
    if (signal.aborted) {
      print("Stopped: nothing was installed.\n");
      return stop.exitStatus;
    }
    if (!(error instanceof ModelError)) throw error;
    const advice = known
      ? "\nWith a copy of the checkpoint: kb-mcp model install FILE"
      : ocr
      ? `\nWith a copy of the data: kb-mcp model install ${ocr.code}.traineddata, or a package that npm pack ` +
        `@tesseract.js-data/${ocr.code} has written: kb-mcp model install FILE.tgz`
      : "";
    context.printError(`${error.message}${advice}`);
    return 1;
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.stat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return false;
    throw error;
  }
}

function describeInstalled(
  { name, license, bytes, path }: InstalledModel,
  active: string | undefined,
): string {
  const text = `Installed ${name} (${formatBytes(bytes)}, ${license}) as ${path}\n`;
  if (isSameModel(name, active)) return text;
  return `${text}To use it, set KB_EMBEDDINGS_MODEL=${name} and run kb-mcp reindex.\n`;
}

function isSameModel(name: string, active: string | undefined): boolean {
  return name.toLowerCase() === active?.toLowerCase();
}

/** Returns a function that prints the number of downloaded bytes now and then. */
function progressPrinter(print: (text: string) => void): (bytes: number) => void {
  let last = performance.now();
  return (bytes) => {
    const now = performance.now();
    if (now - last < PROGRESS_MS) return;
    last = now;
    print(`${formatBytes(bytes)}\n`);
  };
}
