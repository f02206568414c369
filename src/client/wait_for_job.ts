import { hasEnded, type Job } from "../contract/mod.ts";
import { EngineError, type EngineErrorCode } from "./errors.ts";

/** Maximum time that one request waits in the engine, in milliseconds. */
const MAX_WAIT_MS = 20_000;
/** The same while somebody follows the progress. */
const PROGRESS_INTERVAL_MS = 1000;
/** Time for the response after a wait in the engine, in milliseconds. */
const RESPONSE_MS = 500;
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
  readonly poll: (options: { signal: AbortSignal; timeoutMs: number; waitMs: number }) => Promise<Job>;
  /** Whether the engine is known to ignore `waitMs`. */
  readonly isPolled: boolean;
}

/**
 * Waits until a job and those of its files end, or the timeout expires. The engine responds when they have ended; one
 * that responds before is polled.
 *
 * @returns The job as of the last response.
 * @throws {EngineError} Immediately for `cancelled` and other codes that another request would not change; for
 * any other code only if no request succeeded.
 */
export async function waitForJob(
  { now, delay, poll, isPolled }: JobPoller,
  { timeoutMs, until, onPoll, signal = new AbortController().signal }: WaitOptions,
): Promise<Job> {
  const end = now() + timeoutMs;
  const untilSignal = until ? AbortSignal.any([signal, until]) : signal;
  const isStopped = () => until?.aborted === true && !signal.aborted;
  let latest: Job | undefined;
  let failure: unknown;
  let maxWaitMs = isPolled ? 0 : onPoll ? PROGRESS_INTERVAL_MS : MAX_WAIT_MS;
  let nextDelayMs = FIRST_DELAY_MS;
  for (let hasWaited = !isPolled;;) {
    if (!hasWaited) {
      await delay(Math.min(nextDelayMs, Math.max(0, end - now())), untilSignal).catch((cause) => {
        if (isStopped()) return;
        throw new EngineError("cancelled", "Waiting for the job was cancelled. The job itself continues.", {
          cause,
        });
      });
      nextDelayMs = Math.min(nextDelayMs * DELAY_FACTOR, MAX_DELAY_MS);
    }
    const sentAt = now();
    const timeLeft = Math.max(0, end - sentAt);
    const waitMs = isStopped() ? 0 : Math.floor(Math.min(timeLeft, maxWaitMs));
    const request = waitMs > 0
      ? { waitMs, signal: untilSignal, timeoutMs: waitMs + RESPONSE_MS }
      : { waitMs, signal, timeoutMs: Math.max(timeLeft, MIN_POLL_TIMEOUT_MS) };
    let isCutShort = false;
    const job = await poll(request).catch((error) => {
      isCutShort = waitMs > 0 && isStopped();
      const isFatal = error instanceof EngineError && FATAL_CODES.has(error.code);
      if (isFatal && !isCutShort) throw error;
      // An engine of another make may reject a parameter that it does not know.
      if (error instanceof EngineError && error.code === "invalid") maxWaitMs = 0;
      failure = error;
    });
    if (job) {
      latest = job;
      onPoll?.(job);
      if (hasEnded(job)) return job;
    }
    hasWaited = isCutShort || job !== undefined && waitMs > 0 && now() - sentAt >= waitMs;
    if (now() < end && !isStopped() || isCutShort && !latest) continue;
    if (latest) return latest;
    throw failure;
  }
}
