import type { Job, JobWork } from "../../contract/mod.ts";
import type { ChunkDraft, ExtractionErrorCode } from "../../extraction/mod.ts";
import type { PreparedText, TextDocument } from "./prepared_text.ts";

/** A larger file is large: its extraction may take minutes, and much memory. In bytes. */
export const LARGE_FILE_BYTES = 2 * 2 ** 20;

/** A job to accept. Exactly one of `text` (a note) and `spoolFile` is set. */
export interface NewJob {
  /** Text of a note. */
  readonly text?: string;
  /** Name of a file in the spool directory; its bytes are already synced to disk. */
  readonly spoolFile?: string;
  /** File name given by the sender. */
  readonly filename?: string;
  /** Media type claimed by the sender. */
  readonly contentType?: string;
  /** SHA-256 of the bytes of a file, in hexadecimal. Empty for a note, whose text is hashed when it is stored. */
  readonly contentHash: string;
  /** Size of the file, or of the note's UTF-8 text, in bytes. */
  readonly sizeBytes: number;
  /** Title given by the sender. */
  readonly title?: string;
  /** Origin given by the sender. New content with the same origin replaces the old. */
  readonly sourcePath?: string;
  /** Tags for the document, at most one of them a `collection:` tag. */
  readonly tags: readonly string[];
  /** Replaces whatever is at the `sourcePath`. */
  readonly overwrite?: boolean;
  /** The collection in `tags` is a default: a document that is stored already keeps its own. */
  readonly keepCollection?: boolean;
  /** Changes no document that is stored already. */
  readonly addOnly?: boolean;
  /** Name of the person or program that sent the job. */
  readonly actor?: string;
  /** Id of the request that sent the job, for the log. */
  readonly requestId?: string | undefined;
  /** W3C trace context of that request. */
  readonly traceparent?: string | undefined;
}

/** A file job in status `processing`. */
export interface ClaimedFile {
  /** Id of the job. */
  readonly jobId: number;
  /** Name of the file in the spool directory. */
  readonly spoolFile: string;
  /** File name given by the sender. */
  readonly filename?: string;
  /** Media type claimed by the sender. */
  readonly contentType?: string;
  /** Title given by the sender. */
  readonly title?: string;
  /** Size in bytes. */
  readonly sizeBytes: number;
  /** Whether its extraction may take much time and memory. */
  readonly isLarge: boolean;
  /** Number of files that the file is inside of: 0 for an uploaded file. */
  readonly depth: number;
  /** Id of the request that sent the job. */
  readonly requestId?: string;
  /** W3C trace context of that request. */
  readonly traceparent?: string;
}

/** An extracted file, stored together with the end of its job. */
export interface IngestedFile extends Omit<TextDocument, "prepared"> {
  /** Id of the job to end. */
  readonly jobId: number;
  /** Index of the chunks, if it was computed already. */
  readonly prepared?: PreparedText;
  /** Id of the text that {@linkcode IngestionQueue.stageChunks} has written, in place of `chunks`. */
  readonly contentId?: number | undefined;
  /** Attachments, which get jobs of their own. @default {[]} */
  readonly files?: readonly NewContainedFile[];
}

/** Number and total size of files. */
export interface FileTotals {
  readonly files: number;
  /** Total size in bytes. */
  readonly bytes: number;
}

/** A file from inside of another one, which gets a job of its own. */
export type NewContainedFile =
  & {
    /** Relative path in the container, unique there. */
    readonly path: string;
    /** Media type claimed by the container. */
    readonly contentType?: string;
  }
  & (
    | {
      /** Name of the file in the spool directory; its bytes are already synced to disk. */
      readonly spoolFile: string;
      /** SHA-256 of the bytes, in hexadecimal. */
      readonly contentHash: string;
      readonly sizeBytes: number;
      readonly error?: undefined;
    }
    | {
      readonly spoolFile?: undefined;
      /** Why the file cannot be unpacked. */
      readonly error: { readonly code: ExtractionErrorCode; readonly message: string };
    }
  );

/** An unpacked archive, stored together with the end of its job. */
export interface UnpackedArchive {
  /** Id of the job to end. */
  readonly jobId: number;
  /** Files, which get jobs of their own. */
  readonly files: readonly NewContainedFile[];
}

/** Chunks of a file whose text is too long for one write. */
export interface FileChunks {
  /** Id of its job. */
  readonly jobId: number;
  /** Id of the text; undefined for its first chunks. */
  readonly contentId: number | undefined;
  /** Title found in the document; the same for all its chunks. */
  readonly title: string | undefined;
  /** Number of chunks before these. */
  readonly position: number;
  /** Number of chunks of the file, if known. */
  readonly total?: number;
  /** Next chunks in reading order. */
  readonly chunks: readonly ChunkDraft[];
}

/** Options of {@linkcode IngestionQueue.claimFiles}. */
export interface ClaimOptions {
  /** Maximum number of files. @default {1} */
  readonly max?: number;
  /** Whether to return large files, too. @default {true} */
  readonly withLarge?: boolean;
  /** Whether to return nothing if a large file is next. @default {false} */
  readonly stopsAtLarge?: boolean;
}

/** Progress of a job in `processing`. */
export interface JobProgress {
  /** Current stage. */
  readonly stage: string;
  /** Share of the whole work that is done, from 0 to 1. */
  readonly progress: number;
  /** Progress of the stage in its own unit. */
  readonly work?: JobWork;
}

/** Result of a change that ends jobs. */
export interface EndedJob {
  /** Names of spool files that are no longer needed. */
  readonly spoolFiles: readonly string[];
}

/** Result of {@linkcode IngestionQueue.cancelJob}. */
export interface CancelledJob extends EndedJob {
  /** The cancelled job. */
  readonly job: Job;
  /** Ids of cancelled jobs whose files are being processed. */
  readonly running: readonly number[];
}

/** Number of queued jobs after an operation. */
export interface QueueState {
  /** Queued notes. */
  readonly queuedNotes: number;
  /** Queued files. */
  readonly queuedFiles: number;
}

/**
 * The ingestion side of a {@linkcode KnowledgeBase}: the scheduler claims queued jobs and stores their
 * results. A promise resolves only after the change is durable.
 */
export interface IngestionQueue {
  /** Turns up to `max` queued notes into documents. A note that cannot be stored fails only its own job. */
  ingestNotes(max: number): Promise<QueueState>;
  /**
   * Stores a file that has been read already, with a job that is done. Returns null, without a change, if files with its
   * `source_path` wait, or if it must not replace the document there.
   *
   * @throws {KnowledgeBaseError} `queue_full`.
   */
  addFile(job: NewJob, document: TextDocument): Promise<Job | null>;
  /**
   * Sets the next queued file jobs to `processing`: one, or several if they are small and were never interrupted. Small
   * files come first within a fair order, interrupted jobs last, and files with the same `source_path` one after the
   * other. A job that was interrupted 10 times fails instead.
   *
   * @returns No files if none is queued that may be read now.
   */
  claimFiles(options?: ClaimOptions): Promise<ClaimedFile[]>;
  /**
   * Requeues a claimed job without counting an attempt, for an orderly shutdown.
   *
   * @throws {KnowledgeBaseError} `not_found` or `invalid` if the job is not in `processing`.
   */
  releaseFile(jobId: number): Promise<void>;
  /** Records the progress of a job. Does nothing unless it is in `processing`. */
  reportProgress(jobId: number, progress: JobProgress): Promise<void>;
  /**
   * Writes the next chunks of a file in `processing`, so that other writes need not wait for a long text. Nothing
   * finds them before `finishFile`. If the job ends without that, they are removed.
   *
   * @returns Id of the text.
   */
  stageChunks(chunks: FileChunks): Promise<number>;
  /** Stores the document of a job in `processing` and ends the job. */
  finishFile(file: IngestedFile): Promise<EndedJob>;
  /** Ends a job in `processing` whose file is an archive, and queues its files. */
  finishArchive(archive: UnpackedArchive): Promise<EndedJob>;
  /**
   * Number and total size of the files that the outermost container of a job has yielded so far, and of the `waiting`
   * files of all containers.
   */
  containedTotals(jobId: number): Promise<FileTotals & { readonly waiting: FileTotals }>;
  /**
   * Requeues a claimed job behind the waiting files of other containers, without counting an attempt.
   *
   * @throws {KnowledgeBaseError} `not_found` or `invalid` if the job is not in `processing`.
   */
  postponeFile(jobId: number): Promise<EndedJob>;
  /** Ends a job in `processing` as failed. */
  failJob(jobId: number, code: ExtractionErrorCode, message: string): Promise<EndedJob>;
  /**
   * Ends a job that is queued or in `processing` as cancelled.
   *
   * @throws {KnowledgeBaseError} `not_found`, or `conflict` if it has ended.
   */
  cancelJob(jobId: number): Promise<CancelledJob>;
  /**
   * Queues a failed or cancelled job again, with its id.
   *
   * @throws {KnowledgeBaseError} `not_found`, `queue_full`, or `conflict` if it has another status or its content is no
   * longer kept.
   */
  retryJob(jobId: number): Promise<Job>;
  /** Names of the spool files of unfinished jobs, and of those that can be retried. */
  spooledFiles(): Promise<ReadonlySet<string>>;
  /** Whether any file is queued. */
  hasQueuedFiles(): Promise<boolean>;
  /** Whether any job is queued or was interrupted. */
  hasUnfinishedJobs(): Promise<boolean>;
}
