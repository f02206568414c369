/**
 * The process that reads untrusted files, and its parent's end: `kb-mcp extract-worker`.
 *
 * The process has no permissions. It gets a file over standard input and returns its text in chunks over
 * standard output.
 *
 * @module
 */
export {
  type ExtractionCommand,
  extractionCommand,
  ExtractionPermissionError,
  type OcrSettings,
} from "./command.ts";
export type { ContainedFileMessage, DocumentFields, FileMessage, ProgressMessage } from "./messages.ts";
export {
  type ChunkSink,
  type ExitCode,
  type ExtractedFile,
  ExtractionProcess,
  type ExtractListeners,
  type FileContent,
  type FileProgress,
  type OnProgress,
  ProcessExitError,
  type ReceivedFile,
  WorkerError,
} from "./process.ts";
