/**
 * The SQLite back end of the engine: full-text search with FTS5, a vector thread, and a writer thread.
 *
 * @module
 */
export { reindex, type ReindexOptions } from "./backfill/mod.ts";
export {
  type Backup,
  backup,
  type DamagedDocument,
  repair,
  type RepairReport,
  type Salvaged,
} from "./recovery/mod.ts";
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
