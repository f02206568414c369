import type { DatabaseSync } from "node:sqlite";
import type { Job } from "../../../contract/mod.ts";
import { quoteText } from "../../../text/mod.ts";
import type { ExtractionErrorCode } from "../../../extraction/mod.ts";
import {
  type CancelledJob,
  type ClaimedFile,
  type ClaimOptions,
  type EndedJob,
  type FileChunks,
  type IngestedFile,
  type JobProgress,
  KnowledgeBaseError,
  type NewContainedFile,
  type NewJob,
  type QueueState,
  type TextDocument,
  type UnpackedArchive,
} from "../../knowledge_base/mod.ts";
import { isPathOfOtherMessage, linkAttachment, parentMessage } from "./attachments.ts";
import { containedJobs, insertContainedJobs } from "./contained_jobs.ts";
import { type DocumentOptions } from "./document_operations.ts";
import { SourceOperations } from "./source_operations.ts";
import { EndedJobs } from "./ended_jobs.ts";
import { throwIfStorageFailure } from "./storage_errors.ts";
import { fileTitle } from "./file_title.ts";
import { type IncomingDocument, ingest, joinWarnings, type Refused } from "./ingest.ts";
import * as jobs from "./jobs.ts";
import { discardStaged, stageChunks, stagedContent } from "./contents.ts";
import { noteContent, parseNote } from "./notes.ts";
import { noteSource } from "./note_source.ts";
import { getJob } from "./read_jobs.ts";
import { QueueCounter } from "./queue_counter.ts";
import { QueueOrder } from "./queue_order.ts";
import { RetryableJobs } from "./retryable_jobs.ts";
import { all, savepoint, storable } from "./sql.ts";

/** Default of {@linkcode OperationsOptions.keptJobs}. */
export const DEFAULT_KEPT_JOBS = 10_000;

/** Maximum total size of the notes that one call ingests, in bytes. Other writes wait for the call. */
const MAX_NOTES_BYTES = 4 * 2 ** 20;

/** Maximum size of a note that is stored when it is sent, in bytes: other writes wait for it. */
export const MAX_PROMPT_NOTE_BYTES = 16 * 1024;

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
  readonly #retryable: RetryableJobs;
  readonly #endedJobs: EndedJobs;
  #order: QueueOrder | undefined;
  #endedSincePrune = 0;
  /** Spool files of pruned jobs, until a call returns them. */
  #unneeded: string[] = [];

  constructor(db: DatabaseSync, options: OperationsOptions) {
    super(db, options);
    this.#db = db;
    this.#options = options;
    this.#queue = new QueueCounter(db);
    this.#retryable = new RetryableJobs(db);
    this.#endedJobs = new EndedJobs(db);
  }

  /**
   * Requeues the jobs of a killed process and prunes old ones. Must be called once, before any other write.
   */
  recover(): void {
    jobs.requeueInterrupted(this.#db);
    discardStaged(this.#db);
    jobs.pruneJobs(this.#db, this.#options.keptJobs ?? DEFAULT_KEPT_JOBS);
    this.#retryable.dropOld(this.#options.now());
  }

  /** Discards cached state. Must be called after a rollback. */
  invalidate(): void {
    this.#queue.invalidate();
    // Their jobs may exist again. The next start removes files without a job.
    this.#unneeded = [];
  }

  /**
   * Returns the jobs that have ended since the last call, and the containers of their files. Must be called after a
   * commit. Jobs of a call that was rolled back may be among them.
   */
  takeEndedJobs(): number[] {
    return this.#endedJobs.take();
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
    this.#checkCapacity();
    const id = jobs.insertJob(this.#db, job, { now: this.#options.now(), rank: this.#rankOf(job) });
    if (job.text === undefined) this.#queue.addFiles(1);
    else this.#queue.addNotes(1);
    const row = jobs.jobRow(this.#db, id);
    if (!row) throw new KnowledgeBaseError("internal", `Job ${id} must exist after its creation`);
    return jobs.toJob(this.#db, row);
  }

  /**
   * Stores a short note at once, without a queued job. Queues it if other notes wait, which may have the same path, or
   * if it is too long or must not replace a document.
   *
   * @throws {unknown} If the note cannot be stored. The caller must roll back, and queue the note to fail by itself.
   */
  addNote(job: NewJob): Job {
    const { text, sizeBytes, actor, sourcePath, title, overwrite = false, addOnly = false } = job;
    const { keepCollection = false } = job;
    if (text === undefined || sizeBytes > MAX_PROMPT_NOTE_BYTES || this.#queue.state.queuedNotes > 0) {
      return this.createJob(job);
    }
    this.#checkCapacity();
    const context = this.changeContext(actor === undefined ? undefined : storable(actor));
    const note = parseNote(noteSource(text));
    const result = ingest(this.#db, {
      isNote: true,
      sourcePath: sourcePath === undefined ? undefined : storable(sourcePath),
      overwrite,
      addOnly,
      tags: { requested: job.tags, own: note.tags, keepCollection },
      contentHash: note.contentHash,
      content: () =>
        noteContent(note, title === undefined ? undefined : storable(title), this.#options.chunk),
    }, context);
    // A conflict has changed nothing.
    if ("conflict" in result) return this.createJob(job);
    const stored = jobs.insertEndedJob(this.#db, { job, result }, context.now);
    this.#countEnded({ id: Number(stored.job_id), parent_job_id: null });
    return stored;
  }

  /**
   * Stores a file that has been read already, without a queued job.
   *
   * @returns `null`, without having changed anything, if files with its `source_path` wait, or notes, which may have the
   * same, or if it must not replace the document there.
   * @throws {KnowledgeBaseError} `queue_full`.
   */
  addFile(job: NewJob, file: TextDocument): Job | null {
    const sourcePath = job.sourcePath === undefined ? undefined : storable(job.sourcePath);
    if (
      sourcePath !== undefined &&
      (this.#queue.state.queuedNotes > 0 || jobs.lastRankOfPath(this.#db, sourcePath) > 0)
    ) {
      return null;
    }
    this.#checkCapacity();
    const { actor, overwrite = false, addOnly = false, keepCollection = false } = job;
    const context = this.changeContext(actor === undefined ? undefined : storable(actor));
    const { title = fileTitle(file.title, job.filename ?? null) } = job;
    const warning = joinWarnings(file.warnings);
    const result = withWarning(
      ingest(this.#db, {
        isNote: false,
        sourcePath,
        overwrite,
        addOnly,
        tags: { requested: job.tags, own: file.tags, keepCollection },
        contentHash: job.contentHash,
        content: () => ({
          ...file,
          title: storable(title),
          titleDerived: false,
          contentHash: job.contentHash,
          sizeBytes: job.sizeBytes,
          metadata: file.metadata,
          warning,
        }),
      }, context),
      warning,
    );
    if ("conflict" in result) return null;
    const stored = jobs.insertEndedJob(this.#db, { job, result }, context.now);
    this.#countEnded({ id: Number(stored.job_id), parent_job_id: null });
    return stored;
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

  /**
   * Starts the next file jobs: one, or several small files in a row that have not been attempted before, so that a file
   * that crashes the process is read alone the next time. Fails jobs that have used all attempts.
   */
  claimFiles({ max = 1, withLarge = true, stopsAtLarge = false }: ClaimOptions = {}): ClaimedFile[] {
    const files: ClaimedFile[] = [];
    let job = this.#nextFile(withLarge);
    // A large file may be next only after a small one with its path was failed.
    while (job?.spool_file && !(stopsAtLarge && job.is_large)) {
      this.#queue.addFiles(-1);
      if (job.attempts < jobs.MAX_ATTEMPTS) {
        jobs.startJob(this.#db, job.id, this.#options.now());
        files.push(claimedFile(job, job.spool_file));
        if (files.length >= max || !isUnattempted(job)) break;
      } else {
        const message = `Gave up after ${jobs.MAX_ATTEMPTS} attempts: ingestion was interrupted each time`;
        this.#unneeded.push(...this.#fail(job, "internal", message));
      }
      job = this.#nextFile(withLarge);
      if (job && files.length > 0 && !isUnattempted(job)) break;
    }
    return files;
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

  /**
   * Requeues a claimed file until the waiting files of other containers have been read, without counting the attempt.
   *
   * @throws {KnowledgeBaseError} `not_found`, or `invalid` unless the job is processing.
   */
  postponeFile(jobId: number): EndedJob {
    jobs.postponeJob(this.#db, jobs.runningJob(this.#db, jobId));
    this.#queue.addFiles(1);
    return this.#ended([]);
  }

  /** Records the progress of a job. Ignores jobs that have ended. */
  reportProgress(jobId: number, progress: JobProgress): void {
    jobs.updateProgress(this.#db, jobId, progress);
  }

  /**
   * Writes the next chunks of a file whose text is too long for one transaction. Nothing finds them until
   * {@linkcode StoreOperations.finishFile}. Returns the id of the text.
   *
   * @throws {KnowledgeBaseError} `not_found`, or `invalid` unless the job is processing.
   */
  stageChunks({ title, ...chunks }: FileChunks): number {
    const job = jobs.runningJob(this.#db, chunks.jobId);
    const id = stageChunks(this.#db, { ...chunks, title: job.title ?? fileTitle(title, job.filename) });
    jobs.updateProgress(this.#db, chunks.jobId, indexingProgress(chunks));
    return id;
  }

  /**
   * Stores an extracted file and completes its job.
   *
   * @throws {KnowledgeBaseError} `not_found`, or `invalid` unless the job is processing.
   */
  finishFile(file: IngestedFile): EndedJob {
    const job = jobs.runningJob(this.#db, file.jobId);
    const context = this.changeContext(job.actor ?? undefined);
    const warning = joinWarnings(file.warnings);
    const message = parentMessage(this.#db, job.parent_job_id);
    const result = ingest(this.#db, {
      isNote: false,
      ...destination(job, file.tags),
      ...(isPathOfOtherMessage(this.#db, job.source_path, message?.id) && { sourcePath: undefined }),
      contentHash: job.content_hash,
      content: () => ({
        title: job.title ?? fileTitle(file.title, job.filename),
        titleDerived: false,
        docType: file.docType,
        contentHash: job.content_hash,
        sizeBytes: job.size_bytes,
        metadata: file.metadata,
        chunks: file.chunks,
        prepared: file.prepared,
        staged: file.contentId === undefined ? undefined : stagedContent(this.#db, file.contentId),
        warning,
      }),
    }, context);
    const spoolFiles = this.#end(job, withWarning(result, warning), context.now);
    if (!("conflict" in result)) {
      const { documentId, outcome } = result;
      // A link shows in the document, and decides whether it goes to the trash with its message.
      const isNew = outcome === "created";
      if (job.add_only === 0 || isNew && (message?.isNew ?? true)) {
        linkAttachment(this.#db, { documentId, isNew }, message?.id);
      }
      this.#queueFiles(job, file.files ?? [], context.now);
    }
    return this.#ended(spoolFiles);
  }

  /**
   * Completes the job of an archive and queues its files.
   *
   * @throws {KnowledgeBaseError} `not_found`, or `invalid` unless the job is processing.
   */
  finishArchive({ jobId, files }: UnpackedArchive): EndedJob {
    const job = jobs.runningJob(this.#db, jobId);
    const now = this.#options.now();
    jobs.completeJob(this.#db, jobId, { documentId: null, outcome: "unpacked", details: {} }, now);
    this.#countEnded(job);
    this.#queueFiles(job, files, now);
    return this.#ended(job.spool_file === null ? [] : [job.spool_file]);
  }

  /**
   * Fails a job.
   *
   * @throws {KnowledgeBaseError} `not_found`, or `invalid` unless the job is processing.
   */
  failJob(jobId: number, code: ExtractionErrorCode, message: string): EndedJob {
    return this.#ended(this.#fail(jobs.runningJob(this.#db, jobId), code, message));
  }

  /**
   * Cancels a job that has not ended, and those of the files in its archive or message.
   *
   * @throws {KnowledgeBaseError} `not_found`, or `conflict` if all have ended.
   */
  cancelJob(jobId: number): CancelledJob {
    const job = this.#job(jobId);
    const unfinished = [job, ...containedJobs(this.#db, jobId)].filter(isUnfinished);
    if (unfinished.length === 0) {
      throw new KnowledgeBaseError(
        "conflict",
        `Job ${jobId} must not have ended to be cancelled, got ${job.status}`,
      );
    }
    const now = this.#options.now();
    const unneeded: string[] = [];
    for (const each of unfinished) {
      if (each.status === "queued") this.#countQueued(each, -1);
      jobs.cancelJob(this.#db, each.id, now);
      this.#countEnded(each);
      unneeded.push(...this.#retryable.add(each.size_bytes, now));
    }
    return {
      ...this.#ended(unneeded),
      job: jobs.toJob(this.#db, this.#job(jobId)),
      running: unfinished.filter(({ status }) => status === "processing").map(({ id }) => id),
    };
  }

  /**
   * Queues a failed or cancelled job again, with its id.
   *
   * @throws {KnowledgeBaseError} `not_found`, `queue_full`, or `conflict` if it has another status or its content is no
   * longer kept.
   */
  retryJob(jobId: number): Job {
    const job = this.#job(jobId);
    if (job.status !== "failed" && job.status !== "cancelled") {
      throw new KnowledgeBaseError(
        "conflict",
        `Job ${jobId} must be failed or cancelled to be retried, got ${job.status}`,
      );
    }
    const isNote = jobs.jobText(this.#db, jobId) !== "";
    if (!isNote && job.spool_file === null) {
      throw new KnowledgeBaseError(
        "conflict",
        `The content of job ${jobId} is no longer kept for a retry: send the file or note again`,
      );
    }
    this.#checkCapacity();
    const rank = this.#rankOf({
      sizeBytes: job.size_bytes,
      ...(isNote ? {} : { spoolFile: job.spool_file ?? "" }),
      ...(job.actor !== null && { actor: job.actor }),
      ...(job.source_path !== null && { sourcePath: job.source_path }),
    });
    jobs.requeueEnded(this.#db, jobId, rank);
    this.#countQueued(job, 1);
    return jobs.toJob(this.#db, this.#job(jobId));
  }

  #nextFile(withLarge: boolean): jobs.JobRow | undefined {
    const small = jobs.nextFileJob(this.#db, false);
    const large = jobs.nextFileJob(this.#db, true);
    const job = withLarge ? firstOf(small, large) : small;
    if (job) this.#queueOrder.advance(Math.min(small?.rank ?? Infinity, large?.rank ?? Infinity));
    return job;
  }

  get #queueOrder(): QueueOrder {
    return this.#order ??= new QueueOrder(jobs.lowestRank(this.#db));
  }

  /** Returns the rank of a new file; 0 for a note. */
  #rankOf(job: Pick<NewJob, "spoolFile" | "actor" | "sizeBytes" | "sourcePath">): number {
    if (job.spoolFile === undefined) return 0;
    const rank = this.#queueOrder.rank(job.actor ?? "", job.sizeBytes);
    return job.sourcePath === undefined
      ? rank
      : Math.max(rank, jobs.lastRankOfPath(this.#db, job.sourcePath) + 1);
  }

  #job(id: number): jobs.JobRow {
    const job = jobs.jobRow(this.#db, id);
    if (job) return job;
    // Throws if the job was pruned.
    getJob(this.#db, id);
    throw new KnowledgeBaseError("not_found", `There is no job ${id}`);
  }

  #countQueued(job: jobs.JobRow, change: 1 | -1): void {
    if (job.spool_file === null) this.#queue.addNotes(change);
    else this.#queue.addFiles(change);
  }

  /** @throws {KnowledgeBaseError} `queue_full`. */
  #checkCapacity(): void {
    const { maxQueuedJobs } = this.#options;
    if (this.#queue.size < maxQueuedJobs) return;
    throw new KnowledgeBaseError(
      "queue_full",
      `${maxQueuedJobs} jobs are queued, the maximum: try again when some are done`,
    );
  }

  /** Returns all spool files that are no longer needed. */
  #ended(spoolFiles: readonly string[]): EndedJob {
    return { spoolFiles: [...spoolFiles, ...this.#unneeded.splice(0)] };
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
      const message = error instanceof KnowledgeBaseError ? error.message : "The note could not be stored";
      this.#unneeded.push(...this.#fail(this.#job(id), "internal", message));
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

  /** Ends a job. Returns spool files that are no longer needed. */
  #end(job: jobs.JobRow, result: ReturnType<typeof ingest>, now: string): string[] {
    if (!("conflict" in result)) {
      jobs.completeJob(this.#db, job.id, result, now);
      this.#countEnded(job);
      return job.spool_file === null ? [] : [job.spool_file];
    }
    const { conflict } = result;
    const details = conflict === null ? {} : { conflict };
    jobs.failJob(this.#db, job.id, { code: "conflict", message: conflictMessage(job, result), details }, now);
    this.#countEnded(job);
    return this.#retryable.add(job.size_bytes, now);
  }

  /** Fails a job. Returns spool files that are no longer needed. */
  #fail(job: jobs.JobRow, code: ExtractionErrorCode, message: string): string[] {
    const now = this.#options.now();
    jobs.failJob(this.#db, job.id, { code, message }, now);
    this.#countEnded(job);
    const isKept = jobs.jobRow(this.#db, job.id)?.spool_file !== null;
    return [
      ...(isKept || job.spool_file === null ? [] : [job.spool_file]),
      ...this.#retryable.add(isKept || job.spool_file === null ? job.size_bytes : 0, now),
    ];
  }

  #queueFiles(parent: jobs.JobRow, files: readonly NewContainedFile[], now: string): void {
    // The files of an archive share the turn of one sender: they must not delay its other files.
    const rankOf = (job: NewJob) => this.#rankOf({ ...job, actor: `job ${parent.id}` });
    this.#queue.addFiles(insertContainedJobs(this.#db, files, { parent, now, rankOf }));
  }

  #countEnded(job: Pick<jobs.JobRow, "id" | "parent_job_id">): void {
    this.#endedJobs.add(job);
    const kept = this.#options.keptJobs ?? DEFAULT_KEPT_JOBS;
    if (++this.#endedSincePrune < kept / 20) return;
    this.#endedSincePrune = 0;
    this.#unneeded.push(...jobs.pruneJobs(this.#db, kept));
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

/** Whether a file is small and has never been interrupted. */
function isUnattempted({ is_large, attempts }: jobs.JobRow): boolean {
  return is_large === 0 && attempts === 0;
}

function claimedFile(job: jobs.JobRow, spoolFile: string): ClaimedFile {
  return {
    jobId: job.id,
    spoolFile,
    ...(job.filename === null ? {} : { filename: job.filename }),
    ...(job.content_type === null ? {} : { contentType: job.content_type }),
    ...(job.title === null ? {} : { title: job.title }),
    sizeBytes: job.size_bytes,
    isLarge: job.is_large === 1,
    depth: job.depth,
    ...(job.request_id === null ? {} : { requestId: job.request_id }),
    ...(job.traceparent === null ? {} : { traceparent: job.traceparent }),
  };
}

/** Returns the job to start first. */
function firstOf(one: jobs.JobRow | undefined, other: jobs.JobRow | undefined): jobs.JobRow | undefined {
  if (!one || !other) return one ?? other;
  return (one.attempts - other.attempts || one.rank - other.rank || one.id - other.id) < 0 ? one : other;
}

function isUnfinished({ status }: jobs.JobRow): boolean {
  return status === "queued" || status === "processing";
}

/** Returns where the document of a job belongs. */
function destination(
  job: jobs.JobRow,
  ownTags: readonly string[],
): Pick<IncomingDocument, "sourcePath" | "overwrite" | "addOnly" | "tags"> {
  return {
    sourcePath: job.source_path ?? undefined,
    overwrite: job.overwrite === 1,
    addOnly: job.add_only === 1,
    tags: {
      requested: JSON.parse(job.tags) as string[],
      own: ownTags,
      keepCollection: job.keep_collection === 1,
    },
  };
}

/** Returns the progress of a file whose chunks are being written. Its extraction counts for 70 %. */
function indexingProgress({ position, chunks, total }: Omit<FileChunks, "title">): JobProgress {
  const done = position + chunks.length;
  const progress = total === undefined ? 0.7 : 0.7 + 0.29 * done / total;
  return {
    stage: "indexing",
    progress,
    work: { unit: "chunks", done, ...(total !== undefined && { total }) },
  };
}

function conflictMessage(job: jobs.JobRow, refused: Refused): string {
  const path = quoteText(job.source_path ?? "", 200);
  if (refused.conflict === null) {
    return `The source_path ${path} is for a file of the source ${
      quoteText(refused.source)
    }. Nothing was stored, since ` +
      "the job was sent with add_only: use a source_path that does not start with the name of a source, or create the " +
      "file in its folder";
  }
  const { document_id, source } = refused.conflict;
  const occupied = `Document ${document_id} has the source_path ${path}`;
  if (!source && job.add_only === 1) {
    return `${occupied}. Nothing was changed, since the job was sent with add_only: use another source_path`;
  }
  return source
    ? `${occupied} and follows its file in the source ${
      quoteText(source)
    }. Nothing was changed: change the file, or ` +
      "use another source_path"
    : `${occupied} and is of another kind or in another collection. Nothing was changed: use another source_path, ` +
      "or send overwrite to replace it";
}

/** Name of a write operation. */
export type Operation = Exclude<keyof StoreOperations, "recover" | "invalidate" | "takeEndedJobs">;
