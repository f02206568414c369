import { describeStage } from "../client/mod.ts";
import type { Job } from "../contract/mod.ts";
import type { ToolContext } from "./tool.ts";

/** Progress at the end of every call. */
const TOTAL = 100;
/** Progress of a queued job, and of a job that has just started, from 0 to 1. */
const QUEUED = 0.05;
const STARTED = 0.1;
/** Maximum progress of a running job: only the status `done` completes it. */
const ALMOST_DONE = 0.95;
/** Reports the share of a call that is done, from 0 to 1, with a message for people. */
export type ReportShare = (share: number, message: string) => void;

/**
 * Reports shares as whole percentages that never decrease, even if an engine restarts a job. The same
 * percentage may be reported again, because the receiver may have dropped it the first time.
 *
 * @example
 * ```ts
 * import { percentages } from "./progress.ts";
 * import { assertEquals } from "@std/assert";
 * const reported: number[] = [];
 * const report = percentages(({ progress }) => reported.push(progress));
 * for (const share of [0, 0.5, 0.2, 0.501, 1]) report(share, "working");
 * assertEquals(reported, [0, 50, 50, 100]);
 * ```
 */
export function percentages(report: ToolContext["report"]): ReportShare {
  let last = -1;
  return (share, message) => {
    const progress = Math.floor(Math.min(1, Math.max(0, share)) * TOTAL);
    if (progress < last) return;
    last = progress;
    report({ progress, total: TOTAL, message });
  };
}

/** Maps the shares of a step to the range from `start` to `end` of the whole call. */
export function subrange(report: ReportShare, start: number, end: number): ReportShare {
  return (share, message) => report(start + share * (end - start), message);
}

/** Reports the progress of a job. */
export function reportJob(report: ReportShare, job: Partial<Job>): void {
  const { status, progress } = job;
  switch (status) {
    case "queued":
      return report(QUEUED, "queued");
    case "processing": {
      const share = Math.min(1, Math.max(0, progress ?? 0));
      const step = describeStage(job);
      const message = job.work || step === "processing" ? step : `processing: ${step}`;
      return report(STARTED + share * (ALMOST_DONE - STARTED), message);
    }
    case "done":
      return report(1, "indexed");
    case "failed":
      return report(1, "failed");
    case "cancelled":
      return report(1, "cancelled");
  }
}
