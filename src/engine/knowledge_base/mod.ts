/**
 * The interface between the engine's API and its storage back ends, with the types and errors that both sides
 * share.
 *
 * @module
 */
export { decodeDocumentCursor, decodeJobCursor, decodeSearchCursor, encodeCursor } from "./cursor.ts";
export type { ChangeOptions, DeleteOptions } from "./change_options.ts";
export { KnowledgeBaseError, type KnowledgeBaseErrorOptions } from "./errors.ts";
export type { ClaimedFile, IngestedFile, IngestionQueue, NewJob, QueueState } from "./ingestion_queue.ts";
export type { KnowledgeBase, StorageState } from "./knowledge_base.ts";
