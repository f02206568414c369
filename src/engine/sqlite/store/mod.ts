/**
 * Stores documents, jobs and vectors in a SQLite database, in a data directory that one process uses at a
 * time. Any thread can read on a read-only connection; the writer thread (`../writer`) writes.
 *
 * @module
 */
export * from "./read_only.ts";
export { OpenFile } from "./open_file.ts";
export {
  databaseFiles,
  newDatabase,
  removeDatabase,
  removeFile,
  removeNewDatabases,
} from "./new_database.ts";
export {
  columnsStep,
  type Coverage,
  hasColumnsToExtend,
  removeDamagedColumns,
  wrongColumns,
} from "./chunk_columns.ts";
export type { ChunkSizes } from "./chunk_sizes.ts";
export { adaptCheckpoints } from "./checkpoints.ts";
export { hasStagedContent } from "./contents.ts";
export { contentIdOf, MAX_DOCUMENT_ID } from "./content_ids.ts";
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
} from "./embedding_sets.ts";
export {
  isStorageFailure,
  type StorageFault,
  storageFaultError,
  toKnowledgeBaseError,
} from "./storage_errors.ts";
export { queuedNotesMayHaveFrontMatter } from "./notes.ts";
export { closeForWriting, createDatabase, isMigrated, openForWriting, type Upgrade } from "./open.ts";
export { toDataDirError } from "./open_for_reading.ts";
export type { DocumentOperations, DocumentOptions } from "./document_operations.ts";
export { type ChangeContext, type LongVersion, longVersion } from "./revisions.ts";
export type { RestoreOptions, StagedVersion } from "./restore.ts";
export { MAX_REMOVED_CHUNKS, type StagedChunks } from "./contents.ts";
export { listSources, sourceCounts, sourceFiles, storedSource } from "./read_sources.ts";
export { sourceTitle } from "./source_documents.ts";
export type { SourceOperations } from "./source_operations.ts";
export { type Operation, StoreOperations } from "./operations.ts";
export { enableFreePages, freePagesStep } from "./free_pages.ts";
export { forgetSymbols, hasPackedTexts, readableText, storedText } from "./packed_texts.ts";
export { purgeStep } from "./purge.ts";
export { lastDocumentId, type ParsedRequest } from "./query_documents.ts";
export { getDocument, isKnownDocument, listDocuments } from "./read_documents.ts";
export { listRevisions, listTrash } from "./read_revisions.ts";
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
export { documentsToAnalyze, type TextAnalysis } from "./analysis.ts";
export { learnStoredSymbols } from "./learned_symbols.ts";
export { analysisStep } from "./analysis_step.ts";
export { rebuildIndex } from "./renormalize.ts";
export {
  computedColumns,
  isSearchTextComputed,
  registerFunctions,
  type SearchColumns,
} from "./search_text.ts";
export { recordedUnicodeVersion, unicodeVersion } from "./unicode_version.ts";
export { StatusReader } from "./read_status.ts";
export {
  count,
  hasTable,
  inTransaction,
  isOutOfMemory,
  rollBack,
  run,
  savepoint,
  TransactionLostError,
  undoFailedCommit,
} from "./sql.ts";
export {
  hasSymbolRows,
  readSymbolRows,
  readSymbols,
  type StoredSymbols,
  SYMBOL_TABLES,
  type SymbolTableName,
  writeSymbols,
} from "./text_symbols.ts";
export type { NoteSource } from "./note_source.ts";
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
export { encodeVector } from "./stored_vector.ts";
export { type CodePage, encodeCodePage, type PageVector } from "./code_page.ts";
export { hasVectorsToPack, packingStep, verifyPages } from "./vector_pages.ts";
