import type { DocType, Document, DocumentTags, Job, NotePatch, TagChange } from "../../contract/mod.ts";
import type { DeletedDocument } from "../../contract/mod.ts";
import type { ChunkDraft, ExtractErrorCode } from "../text/types.ts";

/** A job to accept. Exactly one of `text` (a note) and `spoolFile` is set. */
export interface NewJob {
  readonly text?: string;
  /** Name in the spool directory of a file whose bytes are already synced to disk. */
  readonly spoolFile?: string;
  readonly filename?: string;
  readonly contentType?: string;
  /** SHA-256 of the bytes (of the UTF-8 text, for a note), hexadecimal. */
  readonly contentHash: string;
  readonly sizeBytes: number;
  readonly title?: string;
  readonly sourcePath?: string;
  readonly tags: readonly string[];
}

/** A file job that has been set to `processing`. */
export interface ClaimedFile {
  readonly jobId: number;
  readonly spoolFile: string;
  readonly filename?: string;
  readonly contentType?: string;
  readonly sizeBytes: number;
}

/** What a file turned into; stored together with the end of its job. */
export interface IngestedFile {
  readonly jobId: number;
  readonly docType: DocType;
  readonly title?: string;
  readonly metadata?: Record<string, unknown>;
  /** Tags that the document names itself, added to the job's. `collection:` tags among them are dropped. */
  readonly tags: readonly string[];
  readonly chunks: readonly ChunkDraft[];
}

/** Where the queue stands after a call. */
export interface QueueState {
  readonly queuedNotes: number;
  readonly queuedFiles: number;
}

/**
 * Everything that changes the store. Each runs on the writer thread in a transaction: calls that come together
 * share one commit (each under its own savepoint, so that one that fails undoes nothing of the others), and a call is
 * answered only after that commit is on disk. Arguments and results are structured-cloneable.
 */
export interface WriteOperations {
  /** Accepts a job, or throws StoreError `queue_full`. */
  createJob(job: NewJob): Job;
  /**
   * Turns up to `max` queued notes into documents, each with the end of its job. A note that cannot be stored fails
   * its own job only.
   */
  ingestNotes(max: number): QueueState;
  /** Sets the oldest queued file job to `processing`; null: none waits. A job that was started 3 times fails instead. */
  claimFile(): ClaimedFile | null;
  /** Records how far a job in `processing` is. */
  reportProgress(jobId: number, stage: string, progress: number): void;
  /** Stores the document of a job in `processing` and ends the job. Returns the spool file, to be removed. */
  finishFile(file: IngestedFile): { spoolFile: string };
  /** Ends a job in `processing` as failed. Returns the spool file, to be removed. */
  failJob(jobId: number, code: ExtractErrorCode, message: string): { spoolFile: string | null };
  deleteDocument(id: number): DeletedDocument;
  changeTags(id: number, change: TagChange): DocumentTags;
  /** Decision D3; StoreError `not_found` or `not_a_note`. */
  updateNote(id: number, patch: NotePatch): Document;
}

/** A write that the store refuses; crosses the thread boundary as its fields. */
export class StoreError extends Error {
  override name = "StoreError";
  readonly code: "not_found" | "not_a_note" | "invalid" | "queue_full" | "storage_full" | "internal";

  constructor(code: StoreError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
