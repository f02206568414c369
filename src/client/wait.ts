import type { Job } from "../contract/mod.ts";
import { EngineError, type EngineErrorCode } from "./errors.ts";

/** First pause before asking, in milliseconds; each further one is longer by the factor, up to the greatest. */
const FIRST_MS = 10;
const FACTOR = 1.6;
const GREATEST_MS = 250;
/** Even the last question gets this long; a shorter one would fail on a healthy engine. */
const LEAST_POLL_MS = 100;

/** Asking again would not change these. */
const FATAL = new Set<EngineErrorCode>(["not_found", "unauthorized", "cancelled"]);

/** What waiting uses; given by the client. */
export interface Waiting {
  readonly timeoutMs: number;
  /** Cancels the waiting. */
  readonly signal: AbortSignal;
  /** Ends the waiting early, as if its time were over. */
  readonly until?: AbortSignal | undefined;
  readonly now: () => number;
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly ask: (timeoutMs: number) => Promise<Job>;
  /** Told of the job each time that it was seen, the last time included. */
  readonly onSeen?: ((job: Job) => void) | undefined;
}

/** Asks for a job until it is done or failed or the time is over; answers the job as it was last seen. */
export async function waitUntilEnded(
  { timeoutMs, signal, until, now, pause, ask, onSeen }: Waiting,
): Promise<Job> {
  const end = now() + timeoutMs;
  const either = until ? AbortSignal.any([signal, until]) : signal;
  let seen: Job | undefined;
  let failure: unknown;
  for (let ms = FIRST_MS;; ms = Math.min(ms * FACTOR, GREATEST_MS)) {
    await pause(Math.min(ms, Math.max(0, end - now())), either).catch((cause) => {
      if (until?.aborted && !signal.aborted) return;
      throw new EngineError("cancelled", "Waiting for the job was cancelled; the job itself goes on.", {
        cause,
      });
    });
    const job = await ask(Math.max(end - now(), LEAST_POLL_MS)).catch((error) => {
      if (error instanceof EngineError && FATAL.has(error.code)) throw error;
      failure = error;
    });
    if (job) {
      seen = job;
      onSeen?.(job);
      if (hasEnded(job)) return job;
    }
    if (now() < end && !until?.aborted) continue;
    if (seen) return seen;
    throw failure;
  }
}

/** Whether a job is in one of its final states. */
export function hasEnded({ status }: Pick<Job, "status">): boolean {
  return status === "done" || status === "failed";
}
