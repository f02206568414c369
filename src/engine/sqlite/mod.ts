/**
 * The SQLite back end of the engine: full-text search with FTS5, a vector thread, and a writer thread.
 *
 * @module
 */
export { reindex, type ReindexOptions } from "./backfill/mod.ts";
export {
  type Backup,
  backup,
  type BackupOptions,
  checkData,
  type CheckedPart,
  type CheckResult,
  type Compression,
  type DamagedDocument,
  repair,
  type RepairReport,
  restoreBackup,
  type RestoredBackup,
  type Salvaged,
  vacuum,
  type VacuumResult,
} from "./recovery/mod.ts";
export { TextReader, type TextReaderOptions } from "./preparation/mod.ts";
export { SqliteKnowledgeBase, type SqliteOptions } from "./sqlite_knowledge_base.ts";
export {
  DataDamagedError,
  dataDirAt,
  DataDirError,
  DataDirInUseError,
  isOutOfMemory,
  storageFault,
  toDataDirError,
  type VectorCounts,
} from "./store/mod.ts";
