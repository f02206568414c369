import { delay, Pump } from "../../async/mod.ts";
import type { Job } from "../../contract/mod.ts";
import {
  type ChunkOptions,
  displayName,
  ExtractionError,
  MAX_CONTAINED_DEPTH,
  MAX_CONTAINED_FILES,
} from "../../extraction/mod.ts";
import type { FileProgress } from "../../extraction_process/mod.ts";
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
  type EndedJob,
  type FileChunks,
  type IngestedFile,
  type IngestionQueue,
  ingestionStages,
  KnowledgeBaseError,
} from "../knowledge_base/mod.ts";
import { ClaimedFiles } from "./claimed_files.ts";
import { ContainedFileSpool } from "./contained_file_spool.ts";
import type { ExtractionSlot, ExtractorPool } from "./extractor_pool.ts";
import { FileWriter } from "./file_writer.ts";
import { jobProgress } from "./job_progress.ts";
import { Permits } from "./permits.ts";
import type { Spool } from "./spool.ts";

/**
 * Number of notes per transaction. Larger batches have a higher throughput but delay other writes: 64 short
 * notes take a few milliseconds.
 */
const NOTE_BATCH_SIZE = 64;
/** Maximum number of small files that are written at the same time, in one commit if the writer is busy. */
const MAX_SMALL_WRITES = 32;
/** Default of {@linkcode SchedulerOptions.reportAfterMs}. */
const DEFAULT_REPORT_AFTER_MS = 500;
/**
 * Delay before a write is retried after the disk was full or failed, in milliseconds; it doubles up to the
 * maximum.
 */
const FIRST_DISK_FULL_DELAY_MS = 100;
/** Default of {@linkcode SchedulerOptions.maxDiskFullDelayMs}. */
const DEFAULT_MAX_DISK_FULL_DELAY_MS = 5000;

/** The files in one file may have this many times the maximum size of a file, together. */
const MAX_CONTAINED_SIZE_FACTOR = 4;

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
  /** Extracts text. */
  readonly extractors: ExtractorPool;
  /** Chunk sizes. */
  readonly chunk: ChunkOptions;
  /** Maximum size of a file in an archive or message, in bytes. */
  readonly maxFileBytes: number;
  /** Receives the durations of stages. @default {new MetricsRegistry()} */
  readonly metrics?: MetricsRegistry;
  /** Receives errors with their causes. Never receives document contents or file names. */
  readonly log: Logger;
  /** Maximum delay before a write is retried after the disk was full, in milliseconds. @default {5000} */
  readonly maxDiskFullDelayMs?: number;
  /**
   * Interval between two reports of the progress of a file, and time until the first, in milliseconds: each report is
   * a commit.
   * @default {500}
   */
  readonly reportAfterMs?: number;
}

/** The spool and the signal of an extraction. */
interface FileSurroundings {
  /** Takes the files in it. */
  readonly contained: ContainedFileSpool;
  readonly signal: AbortSignal;
}

/** A write that ends a job. */
type FinalWrite = () => Promise<EndedJob>;

/** A file between its claim and the end of its job. */
interface RunningJob {
  readonly cancel: () => void;
  /** Never rejects. */
  readonly ended: Promise<void>;
}

/** Turns queued jobs into documents: notes in batches and, independently, files in parallel. */
export class Scheduler implements AsyncDisposable {
  readonly #options: SchedulerOptions;
  readonly #notes: Pump;
  readonly #files: Pump;
  readonly #stopping = new AbortController();
  readonly #stages: Histogram;
  readonly #claimed: ClaimedFiles;
  readonly #running = new Map<number, RunningJob>();
  /** The first claim requeues the files of a killed process: before it, a read does not find them. */
  #hasClaimed = false;
  /** Permits to write a result. */
  readonly #writing = { small: new Permits(() => MAX_SMALL_WRITES), large: new Permits(() => 1) };

  constructor(options: SchedulerOptions) {
    this.#options = options;
    const { log, extractors, metrics = new MetricsRegistry() } = options;
    this.#claimed = new ClaimedFiles(options.queue);
    this.#stages = ingestionStages(metrics);
    this.#notes = new Pump(
      () => this.#ingestNotes(),
      (error) => log.error("failed to ingest notes", { error }),
    );
    this.#files = new Pump(
      () => this.#startFile(),
      (error) => log.error("failed to ingest file", { error }),
    );
    extractors.onLargeFree = () => this.wakeFiles();
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

  /**
   * Cancels a job. If its file is being read, ends that process.
   *
   * @throws {KnowledgeBaseError} `not_found`, or `conflict` if the job has ended.
   */
  async cancel(jobId: number): Promise<Job> {
    const { job, running, spoolFiles } = await this.#options.queue.cancelJob(jobId);
    for (const id of running) {
      this.#claimed.remove(id);
      this.#running.get(id)?.cancel();
    }
    await this.#removeSpooled(jobId, spoolFiles);
    return job;
  }

  /**
   * Queues a failed or cancelled job again.
   *
   * @throws {KnowledgeBaseError} `not_found`, `queue_full`, or `conflict` if the job has another status or its content is
   * no longer kept.
   */
  async retry(jobId: number): Promise<Job> {
    // A cancelled file may still be in the hands of its process.
    await this.#running.get(jobId)?.ended;
    const job = await this.#options.queue.retryJob(jobId);
    this.wakeNotes();
    this.wakeFiles();
    return job;
  }

  /** Stops. The extraction of files is aborted and their jobs requeued, for the next start of the engine. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await Promise.all([this.#notes.stop(), this.#files.stop()]);
    await this.#claimed.release()
      .catch((error) => this.#options.log.debug("failed to requeue jobs", { error }));
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
  }

  async #ingestNotes(): Promise<boolean> {
    const { queuedNotes } = await this.#options.queue.ingestNotes(NOTE_BATCH_SIZE);
    return queuedNotes > 0;
  }

  /** Waits for a process, and starts the next file. Returns whether there may be another one. */
  async #startFile(): Promise<boolean> {
    const { queue, extractors } = this.#options;
    if (this.#hasClaimed && this.#claimed.size === 0 && !await queue.hasQueuedFiles()) return false;
    const slot = await extractors.acquire(this.#stopping.signal);
    try {
      const file = await this.#claimed.next(() => slot.tryTakeLarge());
      this.#hasClaimed = true;
      if (!file) {
        slot[Symbol.dispose]();
        return false;
      }
      if (!file.isLarge) slot.releaseLarge();
      this.#run(file, slot);
      return true;
    } catch (error) {
      slot[Symbol.dispose]();
      throw error;
    }
  }

  #run(file: ClaimedFile, slot: ExtractionSlot): void {
    const { jobId, sizeBytes, requestId, traceparent } = file;
    const controller = new AbortController();
    const signal = AbortSignal.any([controller.signal, this.#stopping.signal]);
    const attributes = { "kb.job_id": jobId, "kb.size_bytes": sizeBytes };
    // The log lines and the span belong to the request that has sent the job.
    const ended = runForRequest(
      requestId === undefined ? undefined : { id: requestId },
      () =>
        withSpan("ingestion", { attributes, parent: traceparent }, () => this.#ingest(file, slot, signal)),
    ).catch((error) => {
      // The next start requeues the job.
      if (!signal.aborted) this.#options.log.error("failed to ingest file", { job_id: jobId, error });
    }).finally(() => {
      this.#running.delete(jobId);
      slot[Symbol.dispose]();
      // A file with the same source_path may have waited for this one.
      this.wakeFiles();
    });
    this.#running.set(jobId, { cancel: () => controller.abort(), ended });
  }

  async #ingest(file: ClaimedFile, slot: ExtractionSlot, signal: AbortSignal): Promise<void> {
    const { jobId, sizeBytes } = file;
    const startedAt = performance.now();
    await using contained = this.#spoolFor(file);
    const { spoolFiles } = await this.#process(file, slot, { contained, signal });
    this.#options.log.debug("file ingested", {
      job_id: jobId,
      size_bytes: sizeBytes,
      duration_ms: Math.round(performance.now() - startedAt),
    });
    await this.#removeSpooled(jobId, spoolFiles);
  }

  /** Removes files of ended jobs. Those that cannot be removed are swept at the next start. */
  async #removeSpooled(jobId: number, names: readonly string[]): Promise<void> {
    const { spool, log } = this.#options;
    for (const name of names) {
      await spool.remove(name)
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
    slot: ExtractionSlot,
    { contained, signal }: FileSurroundings,
  ): Promise<EndedJob> {
    try {
      const write = await this.#extract(file, slot, { contained, signal });
      return await this.#inTurn(file.isLarge ? "large" : "small", async () => {
        // Extraction needs a processor, and a write waits for the disk: another file is extracted meanwhile.
        slot.release();
        signal.throwIfAborted();
        return await this.#stage("store", () => this.#writeResult(file.jobId, write, signal));
      });
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

  /** Runs a few writes of small files at a time, and one of a large file: results wait in memory. */
  async #inTurn<T>(lane: "small" | "large", write: () => Promise<T>): Promise<T> {
    const permits = this.#writing[lane];
    await permits.take();
    try {
      return await write();
    } finally {
      permits.release();
    }
  }

  /** Returns the spool for the files in a file. */
  #spoolFor({ jobId, filename, depth }: ClaimedFile): ContainedFileSpool {
    const { queue, spool, maxFileBytes } = this.#options;
    return new ContainedFileSpool({
      spool,
      name: displayName(filename),
      isOutermost: depth === 0,
      limits: {
        maxFiles: MAX_CONTAINED_FILES,
        maxFileBytes,
        maxTotalBytes: MAX_CONTAINED_SIZE_FACTOR * maxFileBytes,
      },
      totals: () => queue.containedTotals(jobId),
    });
  }

  /** Extracts a file. Returns the write that ends its job as done or failed. */
  async #extract(
    file: ClaimedFile,
    slot: ExtractionSlot,
    { contained, signal }: FileSurroundings,
  ): Promise<FinalWrite> {
    const { queue, spool, chunk, log, reportAfterMs = DEFAULT_REPORT_AFTER_MS } = this.#options;
    const { jobId, filename, contentType } = file;
    let lastReport = performance.now();
    let isReporting = false;
    const onProgress = (progress: FileProgress) => {
      // A process that a file has taken over can send progress faster than it is stored: the rest is dropped.
      if (isReporting || performance.now() - lastReport < reportAfterMs) return;
      isReporting = true;
      queue.reportProgress(jobId, jobProgress(progress))
        .catch((error) => log.debug("failed to store progress", { job_id: jobId, error }))
        .finally(() => {
          isReporting = false;
          lastReport = performance.now();
        });
    };
    try {
      const path = spool.path(file.spoolFile);
      const task = { path, filename, contentType, title: file.title, chunk };
      const stageChunks = (chunks: FileChunks) =>
        this.#retryWhileFull(jobId, signal, () => queue.stageChunks(chunks));
      const finishFile = (document: IngestedFile) => queue.finishFile(document);
      const writer = new FileWriter({ stageChunks, finishFile }, jobId);
      const options = {
        onProgress,
        signal,
        sink: writer,
        contained: file.depth < MAX_CONTAINED_DEPTH ? contained : undefined,
      };
      const startedAt = performance.now();
      const extracted = await this.#stage("extract", () => slot.run(task, options));
      this.#claimed.extracted(performance.now() - startedAt);
      await contained.sync();
      const { files } = contained;
      const write = extracted
        ? () => writer.finish({ ...extracted, files })
        : () => queue.finishArchive({ jobId, files });
      return () => contained.handOver(write);
    } catch (error) {
      if (error instanceof KnowledgeBaseError && !signal.aborted) {
        // Of the spool for contained files: other writes retry.
        return error.code === "queue_full"
          ? () => queue.postponeFile(jobId)
          : this.#failedWrite(jobId, error);
      }
      if (!(error instanceof ExtractionError)) throw error;
      const { code, message } = error;
      if (code === "internal") log.error("extraction failed", { job_id: jobId, error });
      // The message contains the file name, which does not belong in the log.
      else log.info("extraction failed", { job_id: jobId, code });
      return () => queue.failJob(jobId, code, message);
    }
  }

  /** Ends a job. An error that does not pass ends it as failed. */
  async #writeResult(jobId: number, write: FinalWrite, signal: AbortSignal): Promise<EndedJob> {
    try {
      return await this.#retryWhileFull(jobId, signal, write);
    } catch (error) {
      if (signal.aborted) throw error;
      return await this.#retryWhileFull(jobId, signal, this.#failedWrite(jobId, error));
    }
  }

  /**
   * Runs a write of a job. While the disk is full, failing or read-only, or memory is short, keeps the result and
   * retries; the job stays in `processing`, so that it restarts if the process ends.
   */
  async #retryWhileFull<T>(jobId: number, signal: AbortSignal, write: () => Promise<T>): Promise<T> {
    const { log, maxDiskFullDelayMs = DEFAULT_MAX_DISK_FULL_DELAY_MS } = this.#options;
    for (let delayMs = FIRST_DISK_FULL_DELAY_MS;; delayMs *= 2) {
      try {
        return await write();
      } catch (error) {
        const isRetried = error instanceof KnowledgeBaseError && RETRIED_ERRORS.includes(error.code);
        if (signal.aborted || !isRetried) throw error;
        log.error("failed to store document: ingestion resumes when writes succeed", {
          job_id: jobId,
          error,
        });
        await delay(Math.min(delayMs, maxDiskFullDelayMs), signal);
        if (signal.aborted) throw error;
      }
    }
  }

  /** Returns the write that ends a job whose document cannot be stored. */
  #failedWrite(jobId: number, error: unknown): FinalWrite {
    const { queue, log } = this.#options;
    log.error("failed to store document", { job_id: jobId, error });
    const message = error instanceof KnowledgeBaseError && error.code !== "internal"
      ? error.message
      : "The document could not be stored because of an internal error";
    return () => queue.failJob(jobId, "internal", message);
  }
}
