import { delay, Pump } from "../../async/mod.ts";
import { type ChunkOptions, ExtractionError } from "../../extraction/mod.ts";
import {
  type Histogram,
  type Logger,
  MetricsRegistry,
  runDetached,
  runForRequest,
  withSpan,
} from "../../telemetry/mod.ts";
import {
  type ClaimedFile,
  type IngestionQueue,
  ingestionStages,
  KnowledgeBaseError,
} from "../knowledge_base/mod.ts";
import type { Extractor } from "./extractor.ts";
import type { Spool } from "./spool.ts";

/**
 * Number of notes per transaction. Larger batches have a higher throughput but delay other writes: 64 short
 * notes take a few milliseconds.
 */
const NOTE_BATCH_SIZE = 64;
/** Default of {@linkcode SchedulerOptions.reportAfterMs}. */
const DEFAULT_REPORT_AFTER_MS = 500;
/**
 * Delay before a write is retried after the disk was full or failed, in milliseconds; it doubles up to the
 * maximum.
 */
const FIRST_DISK_FULL_DELAY_MS = 100;
/** Default of {@linkcode SchedulerOptions.maxDiskFullDelayMs}. */
const DEFAULT_MAX_DISK_FULL_DELAY_MS = 5000;

/** Errors after which the same write may succeed. In this process it was rolled back in any case. */
const RETRIED_ERRORS: readonly KnowledgeBaseError["code"][] = [
  "storage_full",
  "read_only",
  "outcome_unknown",
  "queue_full",
];

/** Options of {@linkcode Scheduler}. */
export interface SchedulerOptions {
  /** Jobs to process. */
  readonly queue: IngestionQueue;
  /** Holds the files of the jobs. */
  readonly spool: Spool;
  /** Extracts text. The scheduler disposes of it. */
  readonly extractor: Extractor;
  /** Chunk sizes. */
  readonly chunk: ChunkOptions;
  /** Receives the durations of stages. @default {new MetricsRegistry()} */
  readonly metrics?: MetricsRegistry;
  /** Receives errors with their causes. Never receives document contents or file names. */
  readonly log: Logger;
  /** Maximum delay before a write is retried after the disk was full, in milliseconds. @default {5000} */
  readonly maxDiskFullDelayMs?: number;
  /**
   * Progress is reported only for files that take longer than this, in milliseconds: each report is a commit.
   * @default {500}
   */
  readonly reportAfterMs?: number;
}

/** A write that ends a job. Returns the spool file that can then be removed. */
type FinalWrite = () => Promise<{ spoolFile: string | null }>;

/** Turns queued jobs into documents: notes in batches and, independently, files one by one. */
export class Scheduler implements AsyncDisposable {
  readonly #options: SchedulerOptions;
  readonly #notes: Pump;
  readonly #files: Pump;
  readonly #stopping = new AbortController();
  readonly #stages: Histogram;
  /** The end of the previous file's write, during which the next file is extracted. Never rejects. */
  #writing = Promise.resolve();

  constructor(options: SchedulerOptions) {
    this.#options = options;
    const { log, metrics = new MetricsRegistry() } = options;
    this.#stages = ingestionStages(metrics);
    this.#notes = new Pump(
      () => this.#ingestNotes(),
      (error) => log.error("failed to ingest notes", { error }),
    );
    this.#files = new Pump(
      () => this.#ingestFile(),
      (error) => log.error("failed to ingest file", { error }),
    );
  }

  /** Processes the queued notes. */
  wakeNotes(): void {
    // The loop outlives the request that starts it.
    runDetached(() => this.#notes.wake());
  }

  /** Processes the queued files. */
  wakeFiles(): void {
    runDetached(() => this.#files.wake());
  }

  /** Stops. The extraction of a file is aborted and its job requeued, for the next start of the engine. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    const extractor = this.#options.extractor[Symbol.asyncDispose]();
    await Promise.all([this.#notes.stop(), this.#files.stop(), extractor]);
    await this.#writing;
  }

  async #ingestNotes(): Promise<boolean> {
    const { queuedNotes } = await this.#options.queue.ingestNotes(NOTE_BATCH_SIZE);
    return queuedNotes > 0;
  }

  /**
   * Ingests a file until its write begins: extraction needs a processor, and a write waits for the disk, so the next file
   * is extracted meanwhile.
   */
  async #ingestFile(): Promise<boolean> {
    const { queue, log } = this.#options;
    const file = await queue.claimFile();
    if (!file) return false;
    const { jobId, sizeBytes, requestId, traceparent } = file;
    const attributes = { "kb.job_id": jobId, "kb.size_bytes": sizeBytes };
    const previous = this.#writing;
    const { promise: isWriting, resolve: onWrite } = Promise.withResolvers<void>();
    // The log lines and the span belong to the request that has sent the job.
    this.#writing = runForRequest(
      requestId === undefined ? undefined : { id: requestId },
      () =>
        withSpan("ingestion", { attributes, parent: traceparent }, () =>
          this.#ingest(file, async () => {
            await previous;
            onWrite();
          })),
    ).catch((error) => {
      // The next start requeues the job.
      if (!this.#stopping.signal.aborted) log.error("failed to ingest file", { job_id: jobId, error });
    }).finally(async () => {
      await previous;
      onWrite();
    });
    await isWriting;
    return true;
  }

  /** @param beforeWrite Called between the extraction and the write. */
  async #ingest(file: ClaimedFile, beforeWrite: () => Promise<void>): Promise<void> {
    const { spool, log } = this.#options;
    const { jobId, sizeBytes } = file;
    const startedAt = performance.now();
    const { spoolFile } = await this.#process(file, beforeWrite);
    log.debug("file ingested", {
      job_id: jobId,
      size_bytes: sizeBytes,
      duration_ms: Math.round(performance.now() - startedAt),
    });
    if (spoolFile) {
      // The job is done: a file that cannot be removed is swept at the next start.
      await spool.remove(spoolFile)
        .catch((error) => log.warn("failed to remove spooled file", { job_id: jobId, error }));
    }
  }

  /** Runs and measures a stage. */
  async #stage<T>(name: string, run: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    try {
      return await withSpan(`ingestion ${name}`, {}, run);
    } finally {
      this.#stages.observe((performance.now() - startedAt) / 1000, { stage: name });
    }
  }

  /** Extracts a file and stores the result. If the scheduler stops meanwhile, the job is requeued. */
  async #process(
    file: ClaimedFile,
    beforeWrite: () => Promise<void>,
  ): Promise<{ spoolFile: string | null }> {
    try {
      const write = await this.#extract(file);
      await beforeWrite();
      return await this.#stage("store", () => this.#writeResult(file.jobId, write));
    } catch (error) {
      const { queue, log } = this.#options;
      if (this.#stopping.signal.aborted) {
        // If this fails, the next start requeues the job and counts the attempt.
        await queue.releaseFile(file.jobId)
          .catch((cause) => log.debug("failed to requeue job", { job_id: file.jobId, error: cause }));
      }
      throw error;
    }
  }

  /** Extracts a file. Returns the write that ends its job as done or failed. */
  async #extract(file: ClaimedFile): Promise<FinalWrite> {
    const { queue, spool, extractor, chunk, log, reportAfterMs = DEFAULT_REPORT_AFTER_MS } = this.#options;
    const { jobId, filename, contentType } = file;
    const startedAt = performance.now();
    let isReporting = false;
    const onProgress = (stage: string, progress: number) => {
      // A process that a file has taken over can send progress faster than it is stored: the rest is dropped.
      if (isReporting || performance.now() - startedAt < reportAfterMs) return;
      isReporting = true;
      queue.reportProgress(jobId, stage, progress)
        .catch((error) => log.debug("failed to store progress", { job_id: jobId, error }))
        .finally(() => isReporting = false);
    };
    try {
      const path = spool.path(file.spoolFile);
      const task = { path, filename, contentType, chunk };
      const extracted = await this.#stage("extract", () => extractor.run(task, onProgress));
      return () => queue.finishFile({ jobId, ...extracted });
    } catch (error) {
      if (!(error instanceof ExtractionError)) throw error;
      const { code, message } = error;
      if (code === "internal") log.error("extraction failed", { job_id: jobId, error });
      // The message contains the file name, which does not belong in the log.
      else log.info("extraction failed", { job_id: jobId, code });
      return () => queue.failJob(jobId, code, message);
    }
  }

  /**
   * Ends a job. While the disk is full, failing or read-only, or memory is short, keeps the result and
   * retries; the job stays in `processing`, so that it restarts if the process ends. Any other error fails the
   * job.
   */
  async #writeResult(jobId: number, result: FinalWrite): Promise<{ spoolFile: string | null }> {
    const { queue, log, maxDiskFullDelayMs = DEFAULT_MAX_DISK_FULL_DELAY_MS } = this.#options;
    let write = result;
    for (let delayMs = FIRST_DISK_FULL_DELAY_MS;; delayMs *= 2) {
      try {
        return await write();
      } catch (error) {
        if (this.#stopping.signal.aborted) throw error;
        if (error instanceof KnowledgeBaseError && RETRIED_ERRORS.includes(error.code)) {
          log.error("failed to store document: ingestion resumes when writes succeed", {
            job_id: jobId,
            error,
          });
          await delay(Math.min(delayMs, maxDiskFullDelayMs), this.#stopping.signal);
          if (this.#stopping.signal.aborted) throw error;
        } else if (write === result) {
          log.error("failed to store document", { job_id: jobId, error });
          const message = error instanceof KnowledgeBaseError && error.code !== "internal"
            ? error.message
            : "The document could not be stored because of an internal error";
          write = () => queue.failJob(jobId, "internal", message);
        } else throw error;
      }
    }
  }
}
