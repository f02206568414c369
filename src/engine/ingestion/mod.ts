/**
 * Ingestion: files wait in the spool, are extracted on a thread, and become documents.
 *
 * @module
 */
export { Extractor, type ExtractorOptions } from "./extractor.ts";
export { Scheduler, type SchedulerOptions } from "./scheduler.ts";
export { Spool, type SpooledFile } from "./spool.ts";
