/**
 * The embedded engine: a knowledge base behind the engine's HTTP API, in this process.
 *
 * @module
 */
export {
  EmbeddingError,
  type EmbeddingErrorCode,
  type EmbeddingOptions,
  type EmbeddingSettings,
} from "../embeddings/mod.ts";
export type { ChunkOptions } from "../extraction/mod.ts";
export { ExtractionPermissionError } from "../extraction_process/mod.ts";
export { Engine, type EngineOptions, type EngineThreads } from "./engine.ts";
export { reindex, type ReindexOptions, type ReindexResult } from "./reindex.ts";
export {
  type Backup,
  backup,
  type BackupOptions,
  checkData,
  type CheckedPart,
  type CheckResult,
  type Compression,
  type DamagedDocument,
  DataDamagedError,
  DataDirError,
  DataDirInUseError,
  repair,
  type RepairReport,
  restoreBackup,
  type RestoredBackup,
  type Salvaged,
  vacuum,
  type VacuumResult,
} from "./sqlite/mod.ts";
