/**
 * Sources: folders, and by further syncers websites, whose files become documents and stay in sync.
 *
 * @module
 */
export {
  type DocumentContent,
  DocumentReader,
  type DocumentReaderOptions,
  type ReadDocument,
} from "./document_reader.ts";
export type { NewSourceOptions } from "./source_definition.ts";
export { Sources, type SourcesOptions } from "./sources.ts";
export type { SourceSyncer, SyncRun } from "./source_syncer.ts";
export { tagsOfSource } from "./sync_folder.ts";
export { createWebSyncer } from "./sync_web.ts";
export { syncMetrics } from "./sync_metrics.ts";
export { type FileOutcome, SyncProgress } from "./sync_progress.ts";
export { type FolderWatch, watchFolder, type WatchOptions } from "./watch_folder.ts";
