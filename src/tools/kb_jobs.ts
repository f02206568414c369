import * as z from "zod";
import { EngineError } from "../client/mod.ts";
import { Cursor, hasEnded, Id, type Job, JobStatus, MAX_PAGE } from "../contract/mod.ts";
import { presentJob } from "../presentation/mod.ts";
import { JobOutput } from "./outputs.ts";
import { percentages, reportJob } from "./progress.ts";
import { defineTool, type ToolContext, ToolError } from "./tool.ts";

/** Maximum time to wait for a job in seconds: clients abort a call after 60 by default. */
const MAX_WAIT_SECONDS = 50;

/** Returns ingestion jobs, newest first, or one of them. */
export const kbJobs = defineTool({
  name: "kb_jobs",
  title: "List ingestion jobs",
  description: `List ingestion jobs, newest first: status, progress, document_id and outcome, or error.

Use this tool when you need to:
- Get the result of an unfinished kb_addnote or kb_upload_finish: pass job_id and wait; do not poll
- See, cancel or retry jobs`,
  scope: "read",
  argumentScopes: { action: "write" },
  input: z.strictObject({
    status: JobStatus.optional().describe("Only these."),
    job_id: Id.optional().describe("Only this job."),
    wait: z.int().min(0).max(MAX_WAIT_SECONDS).optional()
      .describe("With job_id: seconds to wait, such as 30."),
    limit: z.int().min(1).max(MAX_PAGE).default(20).describe("Maximum."),
    cursor: Cursor.optional().describe("next_cursor."),
    action: z.enum(["cancel", "retry"]).optional().describe("With job_id."),
  }),
  output: z.looseObject({
    jobs: z.array(JobOutput),
    total: z.number().optional(),
    next_cursor: z.string().optional(),
  }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async run({ status, job_id, wait = 0, limit, cursor, action }, context) {
    const { engine, signal } = context;
    if (job_id !== undefined) {
      if (status !== undefined || cursor !== undefined) {
        throw new ToolError("job_id must be given with wait and action only: omit status and cursor.");
      }
      try {
        if (action) await changeJob(job_id, action, context);
        return { jobs: [presentJob(await getJob(job_id, wait, context))] };
      } catch (error) {
        if (error instanceof EngineError && error.code === "expired") {
          return { jobs: [expiredJob(job_id, error)] };
        }
        throw error;
      }
    }
    if (wait > 0 || action) {
      const name = action ? "action" : "wait";
      throw new ToolError(`${name} must be given together with job_id: name the job, or omit ${name}.`);
    }
    const page = await engine.jobs({ status, limit, cursor }, { signal });
    return {
      jobs: page.jobs.map(presentJob),
      ...(typeof page.total === "number" ? { total: page.total } : {}),
      ...(page.next_cursor ? { next_cursor: page.next_cursor } : {}),
    };
  },
});

async function changeJob(
  id: Id,
  action: "cancel" | "retry",
  { engine, caller, signal }: ToolContext,
): Promise<void> {
  const options = { signal, actor: caller.name };
  if (action === "cancel") await engine.cancelJob(id, options);
  else await engine.retryJob(id, options);
}

/** Presents a job whose result is no longer kept. No error: the job has ended, and the model can continue. */
function expiredJob(id: Id, { details }: EngineError): z.input<typeof JobOutput> {
  const endedBefore = details?.["ended_before"];
  return {
    job_id: id,
    status: "expired",
    ...(typeof endedBefore === "string" && { ended_before: endedBefore.replace(/\.\d+/, "") }),
    next:
      "The job ended too long ago for its result to be kept. Find its document with kb_search or kb_list; if it " +
      "is not there, add it again.",
  };
}

/** Fetches the job once before waiting, so that an unreachable engine is an error at once. */
async function getJob(id: Id, waitSeconds: number, context: ToolContext): Promise<Job> {
  const { engine, signal, draining } = context;
  const job = await engine.job(id, { signal });
  if (waitSeconds === 0) return job;
  const report = percentages(context.report);
  const onPoll = (job: Job) => reportJob(report, job);
  onPoll(job);
  if (hasEnded(job)) return job;
  return await engine.waitForJob(id, { timeoutMs: waitSeconds * 1000, signal, until: draining, onPoll });
}
