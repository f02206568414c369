/**
 * The store of the engine: one SQLite database in a data directory, which one process uses at a time. Reads run on read-only
 * connections of any thread, writes on the writer thread (`../writer`).
 *
 * @module
 */
export type { ChunkRow } from "./chunks.ts";
export {
  createDataDir,
  type DataDir,
  dataDirAt,
  DataDirError,
  DataDirInUseError,
  lockDataDir,
} from "./data_dir.ts";
export {
  claimBuildingSet,
  claimEmbeddingSet,
  type EmbeddingSet,
  hasOlderSets,
  removeOlderSets,
  serveIfComplete,
  servingSet,
} from "./embedding_sets.ts";
export { isStorageFailure, toStoreError } from "./failures.ts";
export { queuedNotesMayHaveFrontMatter } from "./notes.ts";
export { isMigrated, openForReading, openForWriting, type Upgrade } from "./open.ts";
export { type Operation, StoreOperations } from "./operations.ts";
export { purgeStep } from "./purge.ts";
export { RECENCY } from "./document_conditions.ts";
export { getDocument, listDocuments } from "./read_documents.ts";
export { getJob, hasUnfinishedJobs, listJobs, spooledFiles } from "./read_jobs.ts";
export { readStatus, type StoreStatus } from "./read_status.ts";
export { newestRemoval, removalsAfter } from "./removed_chunks.ts";
export { all, first, inTransaction, run, savepoint, TransactionLostError } from "./sql.ts";
export { COLLECTION_PREFIX } from "./tags.ts";
export { timestamp } from "./time.ts";
export {
  type ChunkVector,
  countVectors,
  type EmbeddableChunk,
  embeddableChunks,
  lastChunkId,
  type MissingVectors,
  missingVectors,
  storeVectors,
  type VectorCounts,
  vectorCounts,
  VectorsRejectedError,
} from "./vectors.ts";
