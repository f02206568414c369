import { type Config, ConfigError } from "../config/mod.ts";
import {
  DataDamagedError,
  DataDirError,
  type EmbeddingSettings,
  Engine,
  type EngineOptions,
  type EngineThreads,
  ExtractionPermissionError,
} from "../engine/mod.ts";
import { listOcrLanguages } from "../models/mod.ts";
import type { Logger, MetricsRegistry } from "../telemetry/mod.ts";
import { configuredSources } from "./configured_sources.ts";
import { EX_DATAERR, ExitError } from "./exit_status.ts";
import { fetcherOptions } from "./fetcher_options.ts";

/** Maximum number of threads for searches by default: each takes 12 MB and more. */
const MAX_SEARCH_THREADS = 8;

/** Options of {@linkcode openEngine}. */
export interface OpenEngineOptions {
  readonly log: Logger;
  /** Returns the data directory when `KB_DATA_DIR` is unset. */
  readonly defaultDataDir: () => string;
  /** Data directory with the installed embedding models. @default that of the engine */
  readonly modelDataDir?: string | undefined;
  /** Bearer token of local callers. */
  readonly localToken?: string | undefined;
  /** Whether the engine serves others: it follows the sources, and searches in threads. @default {false} */
  readonly isServer?: boolean | undefined;
  /** Called when a source has been added. */
  readonly onSourceAdded?: (() => void) | undefined;
  /** Starts threads. @default those of the engine */
  readonly threads?: EngineThreads | undefined;
  /** Receives the engine's metrics. */
  readonly metrics?: MetricsRegistry | undefined;
}

/**
 * Opens the embedded engine over the configured data directory.
 *
 * @throws {ExitError} When its data is damaged or missing.
 * @throws {ConfigError} When the data directory or a permission prevents it.
 */
export async function openEngine(
  config: Config,
  { log, defaultDataDir, modelDataDir, localToken, onSourceAdded, metrics, threads, isServer = false }:
    OpenEngineOptions,
): Promise<{ engine: Engine; dataDir: string }> {
  const dataDir = config.KB_DATA_DIR ?? defaultDataDir();
  const embeddings = embeddingSettings(config);
  const options: EngineOptions = {
    dataDir,
    ...(config.KB_API_KEY === undefined ? {} : { apiKey: config.KB_API_KEY }),
    ...(localToken === undefined ? {} : { localToken }),
    ...(onSourceAdded && { onSourceAdded }),
    ...(metrics && { metrics }),
    ...(isServer && { sources: configuredSources(config) }),
    ...(config.KB_METRICS_TOKEN === undefined ? {} : { metricsToken: config.KB_METRICS_TOKEN }),
    maxFileBytes: config.KB_MAX_FILE_BYTES,
    maxQueuedJobs: config.KB_MAX_QUEUED_JOBS,
    keptJobs: config.KB_KEPT_JOBS,
    retention: {
      maxRevisions: config.KB_REVISIONS,
      revisionDays: config.KB_REVISION_DAYS,
      trashDays: config.KB_TRASH_DAYS,
    },
    extractTimeoutMs: config.KB_EXTRACT_TIMEOUT,
    extractMemoryBytes: config.KB_EXTRACT_MEMORY,
    extractConcurrency: config.KB_EXTRACT_CONCURRENCY ?? Math.min(4, navigator.hardwareConcurrency),
    maxTextChars: config.KB_MAX_TEXT_CHARS,
    ocr: await ocrSettings(config, modelDataDir ?? dataDir),
    bodyTimeoutMs: config.KB_MCP_BODY_TIMEOUT,
    chunk: { maxTokens: config.KB_CHUNK_TOKENS, overlapTokens: config.KB_CHUNK_OVERLAP },
    ...(embeddings && { embeddings }),
    ...(modelDataDir === undefined ? {} : { modelDataDir }),
    vectorMemoryBytes: config.KB_VECTOR_MEMORY,
    threads,
    searchThreads: isServer ? searchThreads(config) : 0,
    fetch: fetcherOptions(config),
    log,
  };
  try {
    return { engine: await Engine.open(options), dataDir };
  } catch (error) {
    if (error instanceof ExtractionPermissionError) throw new ConfigError(error.message, { cause: error });
    throw dataDirFailure(error);
  }
}

/** Returns the maximum number of threads for searches: one per core, unless it is configured. */
function searchThreads({ KB_SEARCH_THREADS: max }: Config): number {
  return max ?? Math.min(MAX_SEARCH_THREADS, navigator.hardwareConcurrency);
}

/** Returns the installed language data for OCR, if there are any and it is not switched off. */
async function ocrSettings(
  { KB_OCR_TIMEOUT: timeoutMs }: Config,
  dataDir: string,
): Promise<EngineOptions["ocr"]> {
  if (timeoutMs === 0) return undefined;
  const files = (await listOcrLanguages(dataDir)).map(({ path }) => path);
  return files.length === 0 ? undefined : { files, timeoutMs };
}

/** Converts the error of a data directory to one that ends the program with a message. */
export function dataDirFailure(error: unknown): unknown {
  if (error instanceof DataDamagedError) return new ExitError(EX_DATAERR, error.message, { cause: error });
  return error instanceof DataDirError ? new ConfigError(error.message, { cause: error }) : error;
}

/** Returns the settings of the embedding model; undefined: full text only. */
export function embeddingSettings(config: Config): EmbeddingSettings | undefined {
  const { KB_EMBEDDINGS_URL: url, KB_EMBEDDINGS_MODEL: model } = config;
  if (model === "off") return undefined;
  if (url === undefined || model === undefined) {
    const isDefault = model === undefined;
    const mayDownload = config.KB_MODEL_DOWNLOAD === "on";
    return { type: "builtin", model: model ?? "builtin", isDefault, mayDownload };
  }
  return {
    type: "api",
    url,
    model,
    ...(config.KB_EMBEDDINGS_API_KEY === undefined ? {} : { apiKey: config.KB_EMBEDDINGS_API_KEY }),
    ...(config.KB_EMBEDDINGS_DIMENSIONS === undefined ? {} : { dimensions: config.KB_EMBEDDINGS_DIMENSIONS }),
    queryPrefix: config.KB_EMBEDDINGS_QUERY_PREFIX ?? "",
    documentPrefix: config.KB_EMBEDDINGS_DOCUMENT_PREFIX ?? "",
    batchSize: config.KB_EMBEDDINGS_BATCH,
    concurrency: config.KB_EMBEDDINGS_CONCURRENCY,
    timeoutMs: config.KB_EMBEDDINGS_TIMEOUT,
  };
}
