import type { Job } from "../contract/mod.ts";
import type { ToolContext } from "./define.ts";

/** Every call is on the way to this, whatever it does. */
const TOTAL = 100;
/** Where on the scale of a job it is by its status alone: one that waits, and one that is being processed. */
const QUEUED = 0.05;
const STARTED = 0.1;
/** A job is done when the engine says so, and not when the last page was read. */
const ALMOST = 0.95;
/** A stage that an engine names is shown if it is a word or two; what else comes from elsewhere is not passed on. */
const STAGE = /^[\w -]{1,40}$/;

/** Tells how far a call is: `share` from 0 to 1, `message` for people. */
export type Report = (share: number, message: string) => void;

/**
 * A scale of 100 for the progress of one call, in whole steps. It never falls: a job that an engine begins anew does not
 * lead back. The same may be said again, since who hears it may have left it out the first time.
 *
 * @example
 * ```ts
 * import { scale } from "./progress.ts";
 * import { assertEquals } from "@std/assert";
 * const said: number[] = [];
 * const report = scale(({ progress }) => said.push(progress));
 * for (const share of [0, 0.5, 0.2, 0.501, 1]) report(share, "working");
 * assertEquals(said, [0, 50, 50, 100]);
 * ```
 */
export function scale(report: ToolContext["report"]): Report {
  let last = -1;
  return (share, message) => {
    const progress = Math.floor(Math.min(1, Math.max(0, share)) * TOTAL);
    if (progress < last) return;
    last = progress;
    report({ progress, total: TOTAL, message });
  };
}

/** The part of a scale from `from` to `to`, as a whole one. */
export function partOf(report: Report, from: number, to: number): Report {
  return (share, message) => report(from + share * (to - from), message);
}

/** Reports a job as it was seen. */
export function reportJob(report: Report, { status, stage, progress }: Partial<Job>): void {
  switch (status) {
    case "queued":
      return report(QUEUED, "queued");
    case "processing": {
      const share = Math.min(1, Math.max(0, progress ?? 0));
      return report(
        STARTED + share * (ALMOST - STARTED),
        stage && STAGE.test(stage) ? `processing: ${stage}` : "processing",
      );
    }
    case "done":
      return report(1, "indexed");
    case "failed":
      return report(1, "failed");
  }
}
