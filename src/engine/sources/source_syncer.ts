import type { SourceStore, StoredSource } from "../knowledge_base/mod.ts";
import type { DocumentReader } from "./document_reader.ts";
import type { SyncProgress } from "./sync_progress.ts";

/** One synchronization of a source. */
export interface SyncRun {
  readonly source: StoredSource;
  readonly store: SourceStore;
  /** Extracts the text of files. */
  readonly reader: DocumentReader;
  /** Receives what happens to the files. */
  readonly progress: SyncProgress;
  /** Only these files, and the files below these folders. Undefined: all. */
  readonly paths: readonly string[] | undefined;
  /** Whether to read files again that have failed and have not changed since. */
  readonly retry: boolean;
  /** Ends the synchronization. */
  readonly signal: AbortSignal;
}

/** Synchronizes one type of source. Rejects only if the synchronization cannot continue. */
export type SourceSyncer = (run: SyncRun) => Promise<void>;
