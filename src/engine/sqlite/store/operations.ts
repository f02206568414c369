import type { DatabaseSync } from "node:sqlite";
import type {
  DeletedDocument,
  Document,
  DocumentTags,
  Job,
  NotePatch,
  TagChange,
} from "../../../contract/mod.ts";
import type { ChunkOptions, ExtractionErrorCode } from "../../../extraction/mod.ts";
import {
  type ClaimedFile,
  type IngestedFile,
  KnowledgeBaseError,
  type NewJob,
  type QueueState,
} from "../../knowledge_base/mod.ts";
import { documentRow, removeDocument, touchDocument } from "./documents.ts";
import { rethrowStorageFailure } from "./failures.ts";
import { fileTitle } from "./file_title.ts";
import { ingest } from "./ingest.ts";
import * as jobs from "./jobs.ts";
import { noSuchDocument, noteContent, noteSource, readNote, updateNote } from "./notes.ts";
import { QueueGauge } from "./queue_gauge.ts";
import { all, savepoint } from "./sql.ts";
import { changeTagsOf, tagsOf } from "./tags.ts";

/** Ended jobs that are remembered. Older ones are forgotten, a twentieth of this number at a time. */
export const KEPT_JOBS = 10_000;

/**
 * Times that a file job is started. More than one means that the process ended during it: so many that restarts and
 * crashes of other causes lose no job, and so few that a file of which the process dies ends as failed.
 */
const MAX_ATTEMPTS = 10;

/** Bytes of notes after which one call of `ingestNotes` lets other writes through. */
const NOTES_BYTES = 4 * 2 ** 20;

/** Settings of {@linkcode StoreOperations}. */
export interface OperationsOptions {
  readonly chunk: ChunkOptions;
  /** Jobs that may wait. */
  readonly maxQueuedJobs: number;
  /** Ended jobs that are remembered. Default: {@linkcode KEPT_JOBS}. */
  readonly keptJobs?: number;
  /** The time, as ISO 8601 in UTC with milliseconds. */
  readonly now: () => string;
}

/** Every write, on the one connection that writes. The caller owns the transaction that each runs in. */
export class StoreOperations {
  readonly #db: DatabaseSync;
  readonly #options: OperationsOptions;
  readonly #queue: QueueGauge;
  #endedSincePrune = 0;

  constructor(db: DatabaseSync, options: OperationsOptions) {
    this.#db = db;
    this.#options = options;
    this.#queue = new QueueGauge(db);
  }

  /** Puts right what a killed process left behind. To be called once, before any other write. */
  recover(): void {
    jobs.requeueInterrupted(this.#db);
    jobs.pruneJobs(this.#db, this.#options.keptJobs ?? KEPT_JOBS);
  }

  /** To be called after a rollback: what is remembered of the store may not have happened. */
  forget(): void {
    this.#queue.forget();
  }

  createJob(job: NewJob): Job {
    if ((job.text === undefined) === (job.spoolFile === undefined)) {
      throw new KnowledgeBaseError("invalid", "A job must have exactly one of text and file");
    }
    const { maxQueuedJobs } = this.#options;
    if (this.#queue.size >= maxQueuedJobs) {
      throw new KnowledgeBaseError(
        "queue_full",
        `${maxQueuedJobs} jobs are waiting, which is the most: try again when some are done`,
      );
    }
    const id = jobs.insertJob(this.#db, job, this.#options.now());
    if (job.text === undefined) this.#queue.addFiles(1);
    else this.#queue.addNotes(1);
    const row = jobs.jobRow(this.#db, id);
    if (!row) throw new KnowledgeBaseError("internal", `Job ${id} is gone`);
    return jobs.jobShape(row);
  }

  ingestNotes(max: number): QueueState {
    const waiting = all<{ id: number; size_bytes: number }>(
      this.#db,
      "SELECT id, size_bytes FROM jobs WHERE status = 'queued' AND spool_file IS NULL ORDER BY id LIMIT ?",
      max,
    );
    let bytes = 0;
    const ids = waiting.filter(({ size_bytes }) => (bytes += size_bytes) <= NOTES_BYTES).map(({ id }) => id);
    // One note that is too large for the rest is still one note.
    this.#ingestNotes(ids.length > 0 ? ids : waiting.slice(0, 1).map(({ id }) => id));
    return this.#queue.state;
  }

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
        };
      }
      this.#queue.addFiles(-1);
      this.#fail(
        job.id,
        "internal",
        `gave up after ${MAX_ATTEMPTS} attempts: ingestion was interrupted each time`,
      );
    }
  }

  releaseFile(jobId: number): void {
    jobs.releaseJob(this.#db, jobs.runningJob(this.#db, jobId).id);
    this.#queue.addFiles(1);
  }

  reportProgress(jobId: number, stage: string, progress: number): void {
    jobs.reportStage(this.#db, jobId, stage, Math.min(1, Math.max(0, progress)));
  }

  finishFile(file: IngestedFile): { spoolFile: string } {
    const job = jobs.runningJob(this.#db, file.jobId);
    const now = this.#options.now();
    const result = ingest(this.#db, {
      isNote: false,
      contentHash: job.content_hash,
      sourcePath: job.source_path ?? undefined,
      requestedTags: JSON.parse(job.tags) as string[],
      ownTags: file.tags,
      content: () => ({
        title: job.title ?? fileTitle(file.title, job.filename),
        titleDerived: false,
        docType: file.docType,
        contentHash: job.content_hash,
        sizeBytes: job.size_bytes,
        metadata: file.metadata,
        chunks: file.chunks,
      }),
    }, now);
    jobs.endDone(this.#db, job.id, result, now);
    this.#pruneSometimes();
    return { spoolFile: job.spool_file ?? "" };
  }

  failJob(jobId: number, code: ExtractionErrorCode, message: string): { spoolFile: string | null } {
    const job = jobs.runningJob(this.#db, jobId);
    this.#fail(jobId, code, message);
    return { spoolFile: job.spool_file };
  }

  deleteDocument(id: number): DeletedDocument {
    const document = documentRow(this.#db, id);
    if (!document) throw noSuchDocument(id);
    removeDocument(this.#db, id);
    return { status: "deleted", document_id: id, title: document.title };
  }

  changeTags(id: number, change: TagChange): DocumentTags {
    if (!documentRow(this.#db, id)) throw noSuchDocument(id);
    if (changeTagsOf(this.#db, id, change)) touchDocument(this.#db, id, this.#options.now());
    return {
      document_id: id,
      tags: tagsOf(this.#db, id),
      updated_at: documentRow(this.#db, id)?.updated_at ?? null,
    };
  }

  updateNote(id: number, patch: NotePatch): Document {
    return updateNote(this.#db, id, patch, this.#options.chunk, this.#options.now());
  }

  /**
   * All notes in one savepoint, because one for each doubles the time. Only when one of them cannot be stored does each get
   * its own, so that it fails alone.
   */
  #ingestNotes(ids: readonly number[]): void {
    try {
      savepoint(this.#db, () => ids.forEach((id) => this.#ingestNote(id)));
    } catch (error) {
      rethrowStorageFailure(error);
      for (const id of ids) this.#ingestOrFail(id);
    }
    this.#queue.addNotes(-ids.length);
  }

  #ingestOrFail(id: number): void {
    try {
      savepoint(this.#db, () => this.#ingestNote(id));
    } catch (error) {
      rethrowStorageFailure(error);
      this.#fail(
        id,
        "internal",
        error instanceof KnowledgeBaseError ? error.message : "the note could not be stored",
      );
    }
  }

  #ingestNote(id: number): void {
    const job = jobs.jobRow(this.#db, id);
    if (!job) return;
    const now = this.#options.now();
    const note = readNote(noteSource(jobs.jobText(this.#db, id)));
    const result = ingest(this.#db, {
      isNote: true,
      contentHash: note.contentHash,
      sourcePath: job.source_path ?? undefined,
      requestedTags: JSON.parse(job.tags) as string[],
      ownTags: note.tags,
      content: () => noteContent(note, job.title ?? undefined, this.#options.chunk),
    }, now);
    jobs.endDone(this.#db, id, result, now);
    this.#pruneSometimes();
  }

  #fail(id: number, code: ExtractionErrorCode, message: string): void {
    jobs.endFailed(this.#db, id, { code, message }, this.#options.now());
    this.#pruneSometimes();
  }

  #pruneSometimes(): void {
    const kept = this.#options.keptJobs ?? KEPT_JOBS;
    if (++this.#endedSincePrune < kept / 20) return;
    this.#endedSincePrune = 0;
    jobs.pruneJobs(this.#db, kept);
  }
}

/** Name of a write operation. */
export type Operation = Exclude<keyof StoreOperations, "recover" | "forget">;
