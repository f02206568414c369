/**
 * Ingestion: files wait in the spool, are extracted in a process, and become documents.
 *
 * @module
 */
export {
  type ContainedFileSink,
  type Extracted,
  type ExtractOptions,
  Extractor,
  type ExtractorOptions,
  type ExtractTask,
} from "./extractor.ts";
export { ExtractionSlot, ExtractorPool, type ExtractorPoolOptions } from "./extractor_pool.ts";
export { PromptFiles, type PromptFilesOptions } from "./prompt_files.ts";
export { Scheduler, type SchedulerOptions } from "./scheduler.ts";
export { Spool, type SpooledFile } from "./spool.ts";
