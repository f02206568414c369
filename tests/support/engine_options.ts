import type { EngineOptions } from "../../src/engine/mod.ts";
import { silentLogger } from "../../src/telemetry/mod.ts";
import { pooledThreads } from "./pooled_threads.ts";

/** Returns the default settings of an embedded engine over a test directory. */
export function engineOptions(dataDir: string): EngineOptions {
  return {
    dataDir,
    maxFileBytes: 2 ** 28,
    maxQueuedJobs: 10_000,
    extractTimeoutMs: 300_000,
    extractMemoryBytes: 2 ** 30,
    bodyTimeoutMs: 30_000,
    chunk: { maxTokens: 320, overlapTokens: 48 },
    vectorMemoryBytes: 2 ** 29,
    log: silentLogger,
    threads: pooledThreads,
  };
}
