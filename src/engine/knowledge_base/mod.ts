/**
 * The interface between the engine's API and its storage back ends, with the types and errors that both sides
 * share.
 *
 * @module
 */
export type { ChangeOptions, DeleteOptions } from "./change_options.ts";
export {
  decodeDocumentCursor,
  decodeListCursor,
  decodeNumberCursor,
  decodeSearchCursor,
  encodeCursor,
  type ListPage,
  takePage,
} from "./cursor.ts";
export { type DocumentFilters, parseDocumentFilters, type RequestedFilters } from "./document_filters.ts";
export { KnowledgeBaseError, type KnowledgeBaseErrorOptions } from "./errors.ts";
export {
  type CancelledJob,
  type ClaimedFile,
  type ClaimOptions,
  type EndedJob,
  type FileChunks,
  type FileTotals,
  type IngestedFile,
  type IngestionQueue,
  type JobProgress,
  LARGE_FILE_BYTES,
  type NewContainedFile,
  type NewJob,
  type QueueState,
  type UnpackedArchive,
} from "./ingestion_queue.ts";
export type {
  FileContentState,
  FileState,
  MovedFile,
  NewSourceDocument,
  SourceCounts,
  SourceDefinition,
  SourceFile,
  SourceFileTarget,
  SourceOptions,
  SourceStore,
  StoredSource,
  StoredSourceDocument,
} from "./source_store.ts";
export type { PreparedChunk, PreparedText, ReadText, TextDocument, TextFile } from "./prepared_text.ts";
export type { JobWait, KnowledgeBase, PageRange, StorageState } from "./knowledge_base.ts";
export { ingestionStages } from "./ingestion_stages.ts";
