import type { Job } from "../contract/mod.ts";
import { EngineError, type EngineErrorCode } from "./errors.ts";

/** Delay before the first poll, in milliseconds. Each delay is longer by a factor, up to the maximum. */
const FIRST_DELAY_MS = 10;
const DELAY_FACTOR = 1.6;
const MAX_DELAY_MS = 250;
/** Timeout of the last poll: a shorter one would fail on a healthy engine. */
const MIN_POLL_TIMEOUT_MS = 100;

/** Errors that polling again would not change. */
const FATAL_CODES: ReadonlySet<EngineErrorCode> = new Set<EngineErrorCode>([
  "not_found",
  "expired",
  "unauthorized",
  "host_not_allowed",
  "engine_too_old",
  "cancelled",
]);

/** Options for waiting for a job. */
export interface WaitOptions {
  /** Maximum time to wait in milliseconds. */
  readonly timeoutMs: number;
  /** Cancels the wait and the poll in progress. The job continues. */
  readonly signal?: AbortSignal | undefined;
  /** Ends the wait early, with the same result as a timeout. */
  readonly until?: AbortSignal | undefined;
  /** Receives the job after every poll, the last one included. */
  readonly onPoll?: ((job: Job) => void) | undefined;
}

/** Clock, delay and request that {@linkcode waitForJob} uses. */
export interface JobPoller {
  readonly now: () => number;
  readonly delay: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly poll: (options: { signal: AbortSignal; timeoutMs: number }) => Promise<Job>;
}

/**
 * Polls a job until it and those of its files end, or the timeout expires.
 *
 * @returns The job as of the last successful poll.
 * @throws {EngineError} Immediately for `cancelled` and other codes that polling again would not change; for
 * any other code only if no poll succeeded.
 */
export async function waitForJob(
  { now, delay, poll }: JobPoller,
  { timeoutMs, until, onPoll, signal = new AbortController().signal }: WaitOptions,
): Promise<Job> {
  const end = now() + timeoutMs;
  const delaySignal = until ? AbortSignal.any([signal, until]) : signal;
  let latest: Job | undefined;
  let failure: unknown;
  for (let ms = FIRST_DELAY_MS;; ms = Math.min(ms * DELAY_FACTOR, MAX_DELAY_MS)) {
    await delay(Math.min(ms, Math.max(0, end - now())), delaySignal).catch((cause) => {
      if (until?.aborted && !signal.aborted) return;
      throw new EngineError("cancelled", "Waiting for the job was cancelled. The job itself continues.", {
        cause,
      });
    });
    const timeLeft = Math.max(end - now(), MIN_POLL_TIMEOUT_MS);
    const job = await poll({ signal, timeoutMs: timeLeft }).catch((error) => {
      if (error instanceof EngineError && FATAL_CODES.has(error.code)) throw error;
      failure = error;
    });
    if (job) {
      latest = job;
      onPoll?.(job);
      if (hasEnded(job)) return job;
    }
    if (now() < end && !until?.aborted) continue;
    if (latest) return latest;
    throw failure;
  }
}

/** Whether a job has a final status, and those of the files in its archive or message, too. */
export function hasEnded({ status, file_jobs }: Pick<Job, "status" | "file_jobs">): boolean {
  const isFinal = status === "done" || status === "failed" || status === "cancelled";
  return isFinal && unfinishedFiles({ file_jobs }) === 0;
}

/** Returns the number of files in an archive or message that are still being processed. */
export function unfinishedFiles({ file_jobs }: Pick<Job, "file_jobs">): number {
  return (file_jobs?.["queued"] ?? 0) + (file_jobs?.["processing"] ?? 0);
}
