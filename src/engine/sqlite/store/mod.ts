/**
 * The engine's store: one SQLite database in a data directory that one process uses at a time. What is here reads, on a
 * read-only connection of the main thread; what writes runs on the writer's thread (`../writer`).
 *
 * @module
 */
export { type DataDir, dataDirAt, DataDirError } from "./data_dir.ts";
export { openForReading } from "./open.ts";
export { getDocument, listDocuments } from "./read_documents.ts";
export { getJob, hasUnfinishedJobs, listJobs, spooledFiles } from "./read_jobs.ts";
export { readStatus, type StoreStatus } from "./read_status.ts";
export { type VectorCounts, vectorCounts } from "./vectors.ts";
