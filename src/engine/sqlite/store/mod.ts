/**
 * Stores documents, jobs and vectors in a SQLite database, in a data directory that one process uses at a
 * time. Any thread can read on a read-only connection; the writer thread (`../writer`) writes.
 *
 * @module
 */
export {
  type ChunkColumns,
  COLUMN_CHUNKS,
  columnCoverage,
  columnsStep,
  type Coverage,
  hasColumnsToExtend,
  MAX_LENGTH,
  readColumns,
  removeDamagedColumns,
  storedLength,
  wrongColumns,
} from "./chunk_columns.ts";
export { type ChunkSizes, readChunkSizes } from "./chunk_sizes.ts";
export { adaptCheckpoints } from "./checkpoints.ts";
export { type ChunkRow, derivedTitleOf, prepareChunk } from "./chunks.ts";
export { fileTitle } from "./ingest.ts";
export { storable } from "./sql.ts";
export { hasStagedContent } from "./contents.ts";
export { contentIdOf, DOCUMENT_OF_CHUNK, MAX_DOCUMENT_ID } from "./content_ids.ts";
export { contentStep, hasContentToRemove, packSlice } from "./content_steps.ts";
export { assertCommits, checkDatabase } from "./check.ts";
export {
  type ClosedFile,
  closedFile,
  CommitMarker,
  countCommit,
  lastCommit,
  type Marker,
} from "./commit_marker.ts";
export {
  createDataDir,
  DataDamagedError,
  type DataDir,
  dataDirAt,
  DataDirError,
  DataDirInUseError,
  fileSize,
  hasWriteAheadLog,
  isReadOnlyDisk,
  lockDataDir,
  restrictAccess,
  type RestrictedAccess,
} from "./data_dir.ts";
export {
  claimBuildingSet,
  claimEmbeddingSet,
  type EmbeddingSet,
  hasOlderSets,
  OtherModelError,
  removeOlderSets,
  serveIfComplete,
  servingSet,
} from "./embedding_sets.ts";
export {
  isOutOfMemory,
  isStorageFailure,
  type StorageFault,
  storageFault,
  storageFaultError,
  toKnowledgeBaseError,
} from "./storage_errors.ts";
export { queuedNotesMayHaveFrontMatter } from "./notes.ts";
export {
  createDatabase,
  isMigrated,
  openForReading,
  openForWriting,
  timestamp,
  toDataDirError,
  type Upgrade,
} from "./open.ts";
export type { DocumentOperations, DocumentOptions } from "./document_operations.ts";
export { type ChangeContext, type LongVersion, longVersion } from "./revisions.ts";
export type { RestoreOptions, StagedVersion } from "./restore.ts";
export { MAX_REMOVED_CHUNKS, type StagedChunks } from "./contents.ts";
export { listSources, sourceCounts, sourceFiles, storedSource } from "./read_sources.ts";
export { sourceTitle } from "./source_documents.ts";
export type { SourceOperations } from "./source_operations.ts";
export { type Operation, StoreOperations } from "./operations.ts";
export { enableFreePages, freePagesStep } from "./free_pages.ts";
export { purgeStep } from "./purge.ts";
export { type Condition, filterConditions } from "./filter_conditions.ts";
export { lastDocumentId, type ParsedRequest, queryDocuments } from "./query_documents.ts";
export { getDocument, listDocuments } from "./read_documents.ts";
export { listRevisions, listTrash } from "./read_revisions.ts";
export { RECENCY } from "./document_conditions.ts";
export { countChunks, isReadableContent, readSlice, type SlicePosition } from "./revision_content.ts";
export { DEFAULT_RETENTION, hasExpired, type Retention, retentionStep } from "./retention.ts";
export { containedTotals } from "./contained_jobs.ts";
export {
  getJob,
  hasQueuedFiles,
  hasUnfinishedJobs,
  isImporting,
  listJobs,
  spooledFiles,
} from "./read_jobs.ts";
export {
  analysisStep,
  analyzeText,
  documentsToAnalyze,
  hasDocumentsToAnalyze,
  sampleOf,
  stemmedLanguages,
  type TextAnalysis,
} from "./analysis.ts";
export { rebuildIndex } from "./renormalize.ts";
export {
  computedColumns,
  isSearchTextComputed,
  recordedUnicodeVersion,
  registerFunctions,
  type SearchColumns,
  toSearchHeading,
  UNICODE_VERSION,
} from "./search_text.ts";
export { readStatus, StatusReader, type StoreStatus } from "./read_status.ts";
export { deletionsAfter, lastDeletion } from "./deletion_log.ts";
export {
  all,
  count,
  first,
  inTransaction,
  run,
  savepoint,
  snapshot,
  TransactionLostError,
  undoFailedCommit,
} from "./sql.ts";
export { type NoteSource, noteSource } from "./notes.ts";
export type { DocumentUses } from "./usage.ts";
export {
  type ChunkRange,
  type ChunkVector,
  countVectors,
  documentVectors,
  type EmbeddableChunk,
  embeddableChunks,
  lastChunkId,
  type MissingVectors,
  missingVectors,
  missingVectorsOf,
  stagedContents,
  storeVectors,
  type VectorCounts,
  vectorCounts,
  VectorsRejectedError,
} from "./vectors.ts";
export { conversionStep, hasVectorsToConvert } from "./vector_conversion.ts";
export {
  decodeVector,
  dotProduct,
  encodeVector,
  float32VectorBytes,
  isVectorSize,
  storedDotProduct,
  storedVectorBytes,
} from "./stored_vector.ts";
export {
  BLOCK_VECTORS,
  type CodeDeviations,
  codeOffset,
  type CodePage,
  type CodePageLayout,
  codePageLayout,
  encodeCodePage,
  PAGE_VECTORS,
  type PageVector,
  shiftOf,
} from "./code_page.ts";
export {
  hasVectorsToPack,
  packingStep,
  pagesMean,
  readVectorPage,
  type VectorPage,
  vectorPages,
  verifyPages,
} from "./vector_pages.ts";
