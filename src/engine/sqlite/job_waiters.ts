import { delay } from "../../async/mod.ts";
import { hasEnded, type Job } from "../../contract/mod.ts";
import type { JobWait } from "../knowledge_base/mod.ts";

/** Default of {@linkcode JobWaitersOptions.maxWaiters}. */
const DEFAULT_MAX_WAITERS = 1024;
/** Minimum time between two reads of an archive whose files end, in milliseconds: a read counts them all. */
const CONTAINER_INTERVAL_MS = 100;

/** Settings of {@linkcode JobWaiters}. */
export interface JobWaitersOptions {
  /** Maximum number of concurrent waits; further ones return at once. @default {1024} */
  readonly maxWaiters?: number;
}

/** Waits for the ends of jobs, which the writer reports. */
export class JobWaiters {
  readonly #maxWaiters: number;
  readonly #waiters = new Map<number, Set<() => void>>();
  #size = 0;

  constructor({ maxWaiters = DEFAULT_MAX_WAITERS }: JobWaitersOptions = {}) {
    this.#maxWaiters = maxWaiters;
  }

  /** Wakes the waiters of these jobs. */
  notify(ids: readonly number[]): void {
    if (this.#size === 0) return;
    for (const id of ids) this.#waiters.get(id)?.forEach((wake) => wake());
  }

  /**
   * Waits until a job and those of its files have ended.
   *
   * @param read Reads the job: when the wait begins, and when the job may have ended.
   * @returns The job as of the last read, which may not have ended; undefined if it does not exist.
   */
  async wait(
    id: number,
    read: () => Promise<Job | undefined>,
    { waitMs, signal }: JobWait,
  ): Promise<Job | undefined> {
    if (this.#size >= this.#maxWaiters) return await read();
    const stop = new AbortController();
    const abort = () => stop.abort();
    const timer = setTimeout(abort, waitMs);
    signal?.addEventListener("abort", abort);
    if (signal?.aborted) abort();
    let event = Promise.withResolvers<void>();
    const wake = () => event.resolve();
    stop.signal.addEventListener("abort", wake);
    // Before the job is read, so that an end in between is not missed.
    this.#add(id, wake);
    try {
      for (;;) {
        const job = await read();
        if (!job || hasEnded(job) || stop.signal.aborted) return job;
        await event.promise;
        event = Promise.withResolvers();
        if (job.file_jobs) await delay(CONTAINER_INTERVAL_MS, stop.signal);
      }
    } finally {
      this.#remove(id, wake);
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    }
  }

  #add(id: number, wake: () => void): void {
    const waiters = this.#waiters.get(id);
    if (waiters) waiters.add(wake);
    else this.#waiters.set(id, new Set([wake]));
    this.#size++;
  }

  #remove(id: number, wake: () => void): void {
    const waiters = this.#waiters.get(id);
    waiters?.delete(wake);
    if (waiters?.size === 0) this.#waiters.delete(id);
    this.#size--;
  }
}
