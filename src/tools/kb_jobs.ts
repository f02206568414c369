import { z } from "zod";
import { Cursor, Id, JobStatus, MAX_PAGE } from "../contract/mod.ts";
import { JobAnswer, present, withoutNulls } from "./answers.ts";
import { defineTool, ToolError } from "./define.ts";

/** Ingestion jobs, newest first, or one of them. */
export const kbJobs = defineTool({
  name: "kb_jobs",
  title: "List ingestion jobs",
  description:
    `Tells how ingestion went, newest job first: status (queued, processing, done, failed), then the \
document_id and outcome, or the error. Use it when kb_addnote or kb_upload_finish answered before its job was done.`,
  input: z.strictObject({
    status: JobStatus.optional().describe("Only jobs in this status."),
    job_id: Id.optional().describe("Only this job; leave the other arguments out."),
    limit: z.int().min(1).max(MAX_PAGE).default(20).describe("Most jobs."),
    cursor: Cursor.optional().describe("next_cursor of the page before."),
  }),
  output: z.object({
    jobs: z.array(JobAnswer),
    total: z.number().optional(),
    next_cursor: z.string().optional(),
  }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  scope: "read",
  async run({ status, job_id, limit, cursor }, { engine, signal }) {
    if (job_id !== undefined) {
      if (status !== undefined || cursor !== undefined) {
        throw new ToolError("job_id must be given alone: leave status and cursor out.");
      }
      return { jobs: [present(withoutNulls(await engine.job(job_id, { signal })))] };
    }
    const page = await engine.jobs({ status, limit, cursor }, { signal });
    return {
      jobs: page.jobs.map((job) => present(withoutNulls(job))),
      ...(typeof page.total === "number" ? { total: page.total } : {}),
      ...(page.next_cursor ? { next_cursor: page.next_cursor } : {}),
    };
  },
});
