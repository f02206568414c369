import * as z from "zod";
import { hasEnded } from "../client/mod.ts";
import { Cursor, Id, type Job, JobStatus, MAX_PAGE } from "../contract/mod.ts";
import { JobAnswer, present, withoutNulls } from "./answers.ts";
import { defineTool, type ToolContext, ToolError } from "./define.ts";
import { reportJob, scale } from "./progress.ts";

/** Longest wait for a job, in seconds: clients give a call 60, unless somebody tells them otherwise. */
const MAX_WAIT = 50;

/** Ingestion jobs, newest first, or one of them. */
export const kbJobs = defineTool({
  name: "kb_jobs",
  title: "List ingestion jobs",
  icon: "M1 0h6L1 8h6z",
  description:
    `Tells how ingestion went, newest job first: status, then document_id and outcome, or the error. When \
kb_addnote or kb_upload_finish answered before its job was done: give job_id and wait, which answers as soon as it ends; \
do not poll.`,
  input: z.strictObject({
    status: JobStatus.optional().describe("Only jobs in this status."),
    job_id: Id.optional().describe("Only this job."),
    wait: z.int().min(0).max(MAX_WAIT).optional()
      .describe("With job_id: seconds to wait for its end, such as 30."),
    limit: z.int().min(1).max(MAX_PAGE).default(20).describe("Most jobs."),
    cursor: Cursor.optional().describe("next_cursor of the page before."),
  }),
  output: z.looseObject({
    jobs: z.array(JobAnswer),
    total: z.number().optional(),
    next_cursor: z.string().optional(),
  }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  scope: "read",
  async run({ status, job_id, wait = 0, limit, cursor }, context) {
    const { engine, signal } = context;
    if (job_id !== undefined) {
      if (status !== undefined || cursor !== undefined) {
        throw new ToolError("job_id goes with wait only: leave status and cursor out.");
      }
      return { jobs: [present(withoutNulls(await seen(job_id, wait, context)))] };
    }
    if (wait > 0) {
      throw new ToolError(
        "wait must be given together with job_id: name the job to wait for, or leave wait out.",
      );
    }
    const page = await engine.jobs({ status, limit, cursor }, { signal });
    return {
      jobs: page.jobs.map((job) => present(withoutNulls(job))),
      ...(typeof page.total === "number" ? { total: page.total } : {}),
      ...(page.next_cursor ? { next_cursor: page.next_cursor } : {}),
    };
  },
});

/** The job as it is now or, with a wait, as it ended; an engine that is not there is an error at once. */
async function seen(id: Id, wait: number, { engine, signal, draining, report }: ToolContext): Promise<Job> {
  const job = await engine.job(id, { signal });
  if (wait === 0) return job;
  const toCaller = scale(report);
  const onPoll = (job: Job) => reportJob(toCaller, job);
  onPoll(job);
  if (hasEnded(job)) return job;
  return await engine.waitForJob(id, { timeoutMs: wait * 1000, signal, until: draining, onPoll });
}
