import type { EngineOptions } from "../../src/engine/mod.ts";
import { silentLogger } from "../../src/telemetry/mod.ts";

/** Settings of an embedded engine for tests: the defaults of the product, over a directory of the test's own. */
export function engineOptions(dataDir: string): EngineOptions {
  return {
    dataDir,
    maxFileBytes: 2 ** 28,
    maxQueuedJobs: 10_000,
    extractTimeoutMs: 300_000,
    bodyTimeoutMs: 30_000,
    chunk: { maxTokens: 320, overlapTokens: 48 },
    vectorMemoryBytes: 2 ** 29,
    log: silentLogger,
  };
}
