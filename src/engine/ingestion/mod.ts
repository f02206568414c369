/**
 * Ingestion: files wait in the spool, are extracted on a thread, and become documents.
 *
 * @module
 */
export { Extractor, type ExtractorOptions, type OnProgress } from "./extractor.ts";
export type { Extracted, ExtractTask } from "./extractor_thread.ts";
export { Scheduler, type SchedulerOptions } from "./scheduler.ts";
export { Spool, type SpooledFile } from "./spool.ts";
