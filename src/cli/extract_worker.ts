import { ConfigError } from "../config/config_error.ts";

/**
 * Implements `kb-mcp extract-worker BYTES [OCR-MILLISECONDS FILE...]`, which the engine starts.
 *
 * @returns The exit status.
 * @throws {ConfigError} When a person has started it.
 */
export async function extractWorker(
  [maxMemoryBytes = "", ocrTimeoutMs = "", ...ocrFiles]: readonly string[],
): Promise<number> {
  if (!/^\d+$/.test(maxMemoryBytes) || Deno.stdin.isTerminal()) {
    throw new ConfigError("extract-worker is internal: the engine starts it to read uploaded files");
  }
  const { serveExtraction } = await import("../extraction_process/worker.ts");
  return await serveExtraction({
    maxRssBytes: Number(maxMemoryBytes),
    keepsRead: !Deno.build.standalone,
    ...(ocrFiles.length === 0 ? {} : { ocr: { files: ocrFiles, timeoutMs: Number(ocrTimeoutMs) } }),
  });
}
