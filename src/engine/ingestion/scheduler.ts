import type { Logger } from "../../telemetry/mod.ts";
import { type ChunkOptions, ExtractionError } from "../../extraction/mod.ts";
import { type ClaimedFile, type IngestionQueue, KnowledgeBaseError } from "../knowledge_base/mod.ts";
import type { Extractor } from "./extractor.ts";
import { pause, Pump } from "../../async/mod.ts";
import type { Spool } from "./spool.ts";

/**
 * Notes stored in one transaction. More per commit is faster in all, and every other write waits for it: with short
 * notes 64 take a few milliseconds.
 */
const NOTES_AT_ONCE = 64;
/** Progress of a file is stored once it has taken this long, in milliseconds: each report is a commit of its own. */
const REPORT_AFTER_MS = 500;
/** See {@linkcode SchedulerOptions.diskFullPauseMs}. */
const DISK_FULL_PAUSE_MS = 5000;

/** What the scheduler works with. */
export interface SchedulerOptions {
  readonly queue: IngestionQueue;
  readonly spool: Spool;
  /** Owned by the scheduler from here on. */
  readonly extractor: Extractor;
  readonly chunk: ChunkOptions;
  readonly log: Logger;
  /** Pause before a result that found the disk full is stored again, in milliseconds. Default: 5000. */
  readonly diskFullPauseMs?: number;
}

/**
 * Turns accepted jobs into documents. Notes and files go separate ways, so that no note waits behind a slow PDF:
 * notes in batches, files one after the other.
 */
export class Scheduler implements AsyncDisposable {
  readonly #options: SchedulerOptions;
  readonly #notes: Pump;
  readonly #files: Pump;
  readonly #stop = new AbortController();

  constructor(options: SchedulerOptions) {
    this.#options = options;
    const { log } = options;
    this.#notes = new Pump(
      () => this.#ingestNotes(),
      (error) => log.error("ingesting notes failed", { error }),
    );
    this.#files = new Pump(
      () => this.#ingestFile(),
      (error) => log.error("ingesting a file failed", { error }),
    );
  }

  /** Says that a note may be waiting. */
  wakeNotes(): void {
    this.#notes.wake();
  }

  /** Says that a file may be waiting. */
  wakeFiles(): void {
    this.#files.wake();
  }

  /** Ends all work. A file in progress is given up; its job starts again when the engine does. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    const extractor = this.#options.extractor[Symbol.asyncDispose]();
    await Promise.all([this.#notes.stop(), this.#files.stop(), extractor]);
  }

  async #ingestNotes(): Promise<boolean> {
    const { queuedNotes } = await this.#options.queue.ingestNotes(NOTES_AT_ONCE);
    return queuedNotes > 0;
  }

  async #ingestFile(): Promise<boolean> {
    const { queue, spool, log } = this.#options;
    const file = await queue.claimFile();
    if (!file) return false;
    const { spoolFile } = await this.#process(file);
    // One that cannot be removed now is swept at the next start.
    if (spoolFile) {
      await spool.remove(spoolFile).catch((error) =>
        log.warn("a spooled file could not be removed", { error })
      );
    }
    return true;
  }

  /** Extracts a file and stores the result. One that is given up because everything ends was no attempt at it. */
  async #process(file: ClaimedFile): Promise<{ spoolFile: string | null }> {
    try {
      return await this.#untilStored(file.jobId, await this.#extract(file));
    } catch (error) {
      const { queue, log } = this.#options;
      if (this.#stop.signal.aborted) {
        // Where this fails, the next start puts the job back, with the attempt counted.
        await queue.releaseFile(file.jobId)
          .catch((cause) => log.debug("a job was not put back", { job_id: file.jobId, error: cause }));
      }
      throw error;
    }
  }

  /** Extracts a file; returns the write that ends its job, well or not. */
  async #extract(file: ClaimedFile): Promise<() => Promise<{ spoolFile: string | null }>> {
    const { queue, spool, extractor, chunk, log } = this.#options;
    const { jobId, filename, contentType } = file;
    const startedAt = performance.now();
    const onProgress = (stage: string, progress: number) => {
      if (performance.now() - startedAt < REPORT_AFTER_MS) return;
      queue.reportProgress(jobId, stage, progress)
        .catch((error) => log.debug("progress was not stored", { job_id: jobId, error }));
    };
    try {
      const path = spool.path(file.spoolFile);
      const extracted = await extractor.run({ path, filename, contentType, chunk }, onProgress);
      return () => queue.finishFile({ jobId, ...extracted });
    } catch (error) {
      if (!(error instanceof ExtractionError)) throw error;
      const { code, message } = error;
      if (code === "internal") log.error("a file was not ingested", { job_id: jobId, error });
      // The rest is said to whoever sent the file, with its name, which is none of the log's business.
      else log.info("a file was not ingested", { job_id: jobId, code });
      return () => queue.failJob(jobId, code, message);
    }
  }

  /**
   * Writes the end of a job. A full disk is waited out: what was extracted is kept, and the job stays in `processing`,
   * to start again should the process end. Any other refusal fails the job.
   */
  async #untilStored(
    jobId: number,
    end: () => Promise<{ spoolFile: string | null }>,
  ): Promise<{ spoolFile: string | null }> {
    const { queue, log, diskFullPauseMs = DISK_FULL_PAUSE_MS } = this.#options;
    let write = end;
    for (;;) {
      try {
        return await write();
      } catch (error) {
        if (this.#stop.signal.aborted) throw error;
        if (error instanceof KnowledgeBaseError && error.code === "storage_full") {
          log.error("the disk is full: free space on it; ingestion goes on when there is some", {
            job_id: jobId,
          });
          await pause(diskFullPauseMs, this.#stop.signal);
          if (this.#stop.signal.aborted) throw error;
        } else if (write === end) {
          log.error("a document could not be stored", { job_id: jobId, error });
          const message = error instanceof KnowledgeBaseError && error.code !== "internal"
            ? error.message
            : "The document could not be stored because of an internal error";
          write = () => queue.failJob(jobId, "internal", message);
        } else throw error;
      }
    }
  }
}
