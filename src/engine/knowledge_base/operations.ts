import type { DocType, Document, DocumentTags, Job, NotePatch, TagChange } from "../../contract/mod.ts";
import type { DeletedDocument } from "../../contract/mod.ts";
import type { ChunkDraft, ExtractErrorCode } from "../../extraction/types.ts";

/** A job to accept. Exactly one of `text` (a note) and `spoolFile` is set. */
export interface NewJob {
  /** The note. */
  readonly text?: string;
  /** Name in the spool directory of a file whose bytes are already synced to disk. */
  readonly spoolFile?: string;
  /** Name of the file as its sender gave it. */
  readonly filename?: string;
  /** Media type that the sender claimed. */
  readonly contentType?: string;
  /** SHA-256 of the bytes (of the UTF-8 text, for a note), hexadecimal. */
  readonly contentHash: string;
  /** Bytes of the file (of the UTF-8 text, for a note). */
  readonly sizeBytes: number;
  /** Title that the sender gave. */
  readonly title?: string;
  /** Where the sender has it from; new content at the same place replaces the old. */
  readonly sourcePath?: string;
  /** Tags that the document gets; one of them may name its collection. */
  readonly tags: readonly string[];
}

/** A file job that has been set to `processing`. */
export interface ClaimedFile {
  /** Its job. */
  readonly jobId: number;
  /** Name of its bytes in the spool directory. */
  readonly spoolFile: string;
  /** Name of the file as its sender gave it. */
  readonly filename?: string;
  /** Media type that the sender claimed. */
  readonly contentType?: string;
  /** Bytes of the file. */
  readonly sizeBytes: number;
}

/** What a file turned into; stored together with the end of its job. */
export interface IngestedFile {
  /** The job that ends with it. */
  readonly jobId: number;
  /** What kind of source it is. */
  readonly docType: DocType;
  /** What it calls itself; its job's title comes first. */
  readonly title?: string;
  /** Front matter or document properties, as JSON values. */
  readonly metadata?: Record<string, unknown>;
  /** Tags that the document names itself, added to the job's. `collection:` tags among them are dropped. */
  readonly tags: readonly string[];
  /** Its text, in reading order. */
  readonly chunks: readonly ChunkDraft[];
}

/** Where the queue stands after a call. */
export interface QueueState {
  /** Notes that wait. */
  readonly queuedNotes: number;
  /** Files that wait. */
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
  /**
   * Sets the next queued file job to `processing`; null: none waits. Oldest first, those that were interrupted behind
   * the others; a job that was interrupted 10 times fails instead.
   */
  claimFile(): ClaimedFile | null;
  /**
   * Puts a job in `processing` back into the queue, as if it had not been claimed: an orderly stop is no attempt at the
   * file. StoreError `not_found` or `invalid` when it is not in `processing`.
   */
  releaseFile(jobId: number): void;
  /** Records how far a job in `processing` is. */
  reportProgress(jobId: number, stage: string, progress: number): void;
  /** Stores the document of a job in `processing` and ends the job. Returns the spool file, to be removed. */
  finishFile(file: IngestedFile): { spoolFile: string };
  /** Ends a job in `processing` as failed. Returns the spool file, to be removed. */
  failJob(jobId: number, code: ExtractErrorCode, message: string): { spoolFile: string | null };
  /** Removes a document from every table and index, or throws StoreError `not_found`. */
  deleteDocument(id: number): DeletedDocument;
  /** Removes tags, then adds others (D4: sets `updated_at` if that changes anything). StoreError `not_found`, `invalid`. */
  changeTags(id: number, change: TagChange): DocumentTags;
  /** Decision D3; StoreError `not_found` or `not_a_note`. */
  updateNote(id: number, patch: NotePatch): Document;
}

/** A write that the store refuses; crosses the thread boundary as its fields. */
export class StoreError extends Error {
  /** Tells it from other errors where classes are not at hand. */
  override name = "StoreError";
  /** What programs decide by. */
  readonly code: "not_found" | "not_a_note" | "invalid" | "queue_full" | "storage_full" | "internal";

  /** The message is for the caller; the cause is for the log. */
  constructor(code: StoreError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
