import { type Config, ConfigError } from "../config.ts";
import { DataDirError, Engine, type EngineOptions } from "../engine/mod.ts";
import type { Logger } from "../telemetry/mod.ts";

/**
 * Opens the embedded engine with the configuration's data directory and limits.
 *
 * @throws {ConfigError} When the data directory cannot be used.
 */
export async function openEngine(
  config: Config,
  { log, defaultDataDir }: { log: Logger; defaultDataDir: () => string },
): Promise<{ engine: Engine; dataDir: string }> {
  const dataDir = config.KB_DATA_DIR ?? defaultDataDir();
  const options: EngineOptions = {
    dataDir,
    ...(config.KB_API_KEY === undefined ? {} : { apiKey: config.KB_API_KEY }),
    maxFileBytes: config.KB_MAX_FILE_BYTES,
    maxQueuedJobs: config.KB_MAX_QUEUED_JOBS,
    extractTimeoutMs: config.KB_EXTRACT_TIMEOUT,
    bodyTimeoutMs: config.KB_MCP_BODY_TIMEOUT,
    chunk: { maxTokens: config.KB_CHUNK_TOKENS, overlapTokens: config.KB_CHUNK_OVERLAP },
    log,
  };
  try {
    return { engine: await Engine.open(options), dataDir };
  } catch (error) {
    if (error instanceof DataDirError) throw new ConfigError(error.message, { cause: error });
    throw error;
  }
}
