import type { DatabaseSync } from "node:sqlite";
import type { Id, Job } from "../../../contract/mod.ts";
import { quoteText } from "../../../text/mod.ts";
import type { ExtractionErrorCode } from "../../../extraction/mod.ts";
import {
  type ClaimedFile,
  type IngestedFile,
  KnowledgeBaseError,
  type NewJob,
  type QueueState,
} from "../../knowledge_base/mod.ts";
import { type DocumentOptions } from "./document_operations.ts";
import { SourceOperations } from "./source_operations.ts";
import { throwIfStorageFailure } from "./storage_errors.ts";
import { fileTitle, type IncomingDocument, ingest, joinWarnings } from "./ingest.ts";
import * as jobs from "./jobs.ts";
import { noteContent, noteSource, parseNote } from "./notes.ts";
import { QueueCounter } from "./queue_counter.ts";
import { all, savepoint } from "./sql.ts";

/** Default of {@linkcode OperationsOptions.keptJobs}. */
export const DEFAULT_KEPT_JOBS = 10_000;

/**
 * Maximum number of attempts at a file. A file is attempted again only if the process ended during ingestion:
 * unrelated restarts must not fail it, but a file that crashes the process must fail eventually.
 */
const MAX_ATTEMPTS = 10;

/** Maximum total size of the notes that one call ingests, in bytes. Other writes wait for the call. */
const MAX_NOTES_BYTES = 4 * 2 ** 20;

/** Settings of {@linkcode StoreOperations}. */
export interface OperationsOptions extends DocumentOptions {
  /** Maximum number of queued jobs. */
  readonly maxQueuedJobs: number;
  /**
   * Number of ended jobs to keep; older ones are pruned, a twentieth of this number at a time.
   *
   * @default {10_000}
   */
  readonly keptJobs?: number;
}

/** Write operations on the writing connection: jobs, and what {@linkcode SourceOperations} has. Each must be called in a transaction. */
export class StoreOperations extends SourceOperations {
  readonly #db: DatabaseSync;
  readonly #options: OperationsOptions;
  readonly #queue: QueueCounter;
  #endedSincePrune = 0;

  constructor(db: DatabaseSync, options: OperationsOptions) {
    super(db, options);
    this.#db = db;
    this.#options = options;
    this.#queue = new QueueCounter(db);
  }

  /**
   * Requeues the jobs of a killed process and prunes old ones. Must be called once, before any other write.
   */
  recover(): void {
    jobs.requeueInterrupted(this.#db);
    jobs.pruneJobs(this.#db, this.#options.keptJobs ?? DEFAULT_KEPT_JOBS);
  }

  /** Discards cached state. Must be called after a rollback. */
  invalidate(): void {
    this.#queue.invalidate();
  }

  /**
   * Queues a note or a file.
   *
   * @throws {KnowledgeBaseError} `queue_full`, or `invalid` unless the job has either text or a file.
   */
  createJob(job: NewJob): Job {
    if ((job.text === undefined) === (job.spoolFile === undefined)) {
      throw new KnowledgeBaseError("invalid", "A job must have exactly one of text and file");
    }
    const { maxQueuedJobs } = this.#options;
    if (this.#queue.size >= maxQueuedJobs) {
      throw new KnowledgeBaseError(
        "queue_full",
        `${maxQueuedJobs} jobs are queued, the maximum: try again when some are done`,
      );
    }
    const id = jobs.insertJob(this.#db, job, this.#options.now());
    if (job.text === undefined) this.#queue.addFiles(1);
    else this.#queue.addNotes(1);
    const row = jobs.jobRow(this.#db, id);
    if (!row) throw new KnowledgeBaseError("internal", `Job ${id} must exist after its creation`);
    return jobs.toJob(row);
  }

  /** Ingests up to `max` queued notes, oldest first. Returns the jobs that remain queued. */
  ingestNotes(max: number): QueueState {
    const queued = all<{ id: number; size_bytes: number }>(
      this.#db,
      "SELECT id, size_bytes FROM jobs WHERE status = 'queued' AND spool_file IS NULL ORDER BY id LIMIT ?",
      max,
    );
    let bytes = 0;
    // At least one note, whatever its size.
    const notes = queued.filter(({ size_bytes }, i) => (bytes += size_bytes) <= MAX_NOTES_BYTES || i === 0);
    this.#ingestNotes(notes.map(({ id }) => id));
    return this.#queue.state;
  }

  /** Starts the next file job. Fails jobs that have used all attempts. Returns null if no file is queued. */
  claimFile(): ClaimedFile | null {
    for (;;) {
      const job = jobs.nextFileJob(this.#db);
      if (!job?.spool_file) return null;
      if (job.attempts < MAX_ATTEMPTS) {
        jobs.startJob(this.#db, job.id, this.#options.now());
        this.#queue.addFiles(-1);
        return {
          jobId: job.id,
          spoolFile: job.spool_file,
          ...(job.filename === null ? {} : { filename: job.filename }),
          ...(job.content_type === null ? {} : { contentType: job.content_type }),
          sizeBytes: job.size_bytes,
          ...(job.request_id === null ? {} : { requestId: job.request_id }),
          ...(job.traceparent === null ? {} : { traceparent: job.traceparent }),
        };
      }
      this.#queue.addFiles(-1);
      this.#fail(
        job.id,
        "internal",
        `Gave up after ${MAX_ATTEMPTS} attempts: ingestion was interrupted each time`,
      );
    }
  }

  /**
   * Requeues a claimed file, without counting the attempt.
   *
   * @throws {KnowledgeBaseError} `not_found`, or `invalid` unless the job is processing.
   */
  releaseFile(jobId: number): void {
    jobs.releaseJob(this.#db, jobs.runningJob(this.#db, jobId).id);
    this.#queue.addFiles(1);
  }

  /** Records the progress of a job, from 0 to 1. Ignores jobs that have ended. */
  reportProgress(jobId: number, stage: string, progress: number): void {
    jobs.updateProgress(this.#db, jobId, stage, Math.min(1, Math.max(0, progress)));
  }

  /**
   * Stores an extracted file and completes its job. Returns the spool file, which is no longer needed.
   *
   * @throws {KnowledgeBaseError} `not_found`, or `invalid` unless the job is processing.
   */
  finishFile(file: IngestedFile): { spoolFile: string } {
    const job = jobs.runningJob(this.#db, file.jobId);
    const context = this.changeContext(job.actor ?? undefined);
    const warning = joinWarnings(file.warnings);
    const result = ingest(this.#db, {
      isNote: false,
      ...destination(job, file.tags),
      contentHash: job.content_hash,
      content: () => ({
        title: job.title ?? fileTitle(file.title, job.filename),
        titleDerived: false,
        docType: file.docType,
        contentHash: job.content_hash,
        sizeBytes: job.size_bytes,
        metadata: file.metadata,
        chunks: file.chunks,
        warning,
      }),
    }, context);
    this.#end(job, withWarning(result, warning), context.now);
    return { spoolFile: job.spool_file ?? "" };
  }

  /**
   * Fails a job. Returns its spool file, which is no longer needed.
   *
   * @throws {KnowledgeBaseError} `not_found`, or `invalid` unless the job is processing.
   */
  failJob(jobId: number, code: ExtractionErrorCode, message: string): { spoolFile: string | null } {
    const job = jobs.runningJob(this.#db, jobId);
    this.#fail(jobId, code, message);
    return { spoolFile: job.spool_file };
  }

  /** Ingests all notes in one savepoint. After an error, uses one each, which takes twice as long. */
  #ingestNotes(ids: readonly number[]): void {
    try {
      savepoint(this.#db, () => ids.forEach((id) => this.#ingestNote(id)));
    } catch (error) {
      throwIfStorageFailure(error);
      for (const id of ids) this.#ingestOrFail(id);
    }
    this.#queue.addNotes(-ids.length);
  }

  #ingestOrFail(id: number): void {
    try {
      savepoint(this.#db, () => this.#ingestNote(id));
    } catch (error) {
      throwIfStorageFailure(error);
      this.#fail(
        id,
        "internal",
        error instanceof KnowledgeBaseError ? error.message : "The note could not be stored",
      );
    }
  }

  #ingestNote(id: number): void {
    const job = jobs.jobRow(this.#db, id);
    if (!job) return;
    const context = this.changeContext(job.actor ?? undefined);
    const note = parseNote(noteSource(jobs.jobText(this.#db, id)));
    const result = ingest(this.#db, {
      isNote: true,
      ...destination(job, note.tags),
      contentHash: note.contentHash,
      content: () => noteContent(note, job.title ?? undefined, this.#options.chunk),
    }, context);
    this.#end(job, result, context.now);
  }

  #end(job: jobs.JobRow, result: ReturnType<typeof ingest>, now: string): void {
    if ("conflict" in result) {
      const message = conflictMessage(job.source_path ?? "", result.conflict.document_id);
      jobs.failJob(this.#db, job.id, { code: "conflict", message, details: result }, now);
    } else jobs.completeJob(this.#db, job.id, result, now);
    this.#countEnded();
  }

  #fail(id: number, code: ExtractionErrorCode, message: string): void {
    jobs.failJob(this.#db, id, { code, message }, this.#options.now());
    this.#countEnded();
  }

  #countEnded(): void {
    const kept = this.#options.keptJobs ?? DEFAULT_KEPT_JOBS;
    if (++this.#endedSincePrune < kept / 20) return;
    this.#endedSincePrune = 0;
    jobs.pruneJobs(this.#db, kept);
  }
}

/** Adds the warning about a file to the details of its job. */
function withWarning(
  result: ReturnType<typeof ingest>,
  warning: string | undefined,
): ReturnType<typeof ingest> {
  if (warning === undefined || "conflict" in result) return result;
  return { ...result, details: { ...result.details, warning } };
}

/** Returns where the document of a job belongs. */
function destination(
  job: jobs.JobRow,
  ownTags: readonly string[],
): Pick<IncomingDocument, "sourcePath" | "overwrite" | "tags"> {
  return {
    sourcePath: job.source_path ?? undefined,
    overwrite: job.overwrite === 1,
    tags: {
      requested: JSON.parse(job.tags) as string[],
      own: ownTags,
      keepCollection: job.keep_collection === 1,
    },
  };
}

function conflictMessage(sourcePath: string, occupant: Id): string {
  return `Document ${occupant} has the source_path ${
    quoteText(sourcePath, 200)
  } and is of another kind or in ` +
    "another collection. Nothing was changed: use another source_path, or send overwrite to replace it";
}

/** Name of a write operation. */
export type Operation = Exclude<keyof StoreOperations, "recover" | "invalidate">;
