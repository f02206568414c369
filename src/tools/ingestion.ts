import * as z from "zod";
import { EngineError } from "../client/mod.ts";
import { movePlan } from "../collections/mod.ts";
import type { Document, Id, Job, JobAccepted } from "../contract/mod.ts";
import { AnswerId } from "./answers.ts";
import { type ToolContext, ToolError } from "./define.ts";
import { type Report, reportJob } from "./progress.ts";
import { visible } from "./visible.ts";

/** What `kb_addnote` and `kb_upload_finish` answer. */
export const IngestionAnswer = z.looseObject({
  job_id: AnswerId,
  status: z.string(),
  collection: z.string(),
  document_id: AnswerId.optional().describe("Once status is done."),
  /** `created`, `duplicate` or `replaced`. */
  outcome: z.string().optional(),
  next: z.string().optional(),
});
/** Inferred from {@linkcode IngestionAnswer}. */
export type IngestionAnswer = z.infer<typeof IngestionAnswer>;

/** What a tool uses to follow a job. */
type Context = Pick<ToolContext, "engine" | "log" | "jobWaitMs" | "signal" | "draining">;

/**
 * Waits a little for an accepted job, so that the answer can name the document, and sees to it that the document is
 * in `collection` only.
 *
 * @param report Told how far the job is, while it is waited for.
 * @throws {ToolError} If the job failed, with the engine's reason, or if the collection could not be set.
 */
export async function followJob(
  accepted: JobAccepted,
  collection: string,
  context: Context,
  report: Report,
): Promise<IngestionAnswer> {
  const job = await waited(accepted, context, report);
  const answer: IngestionAnswer = { job_id: accepted.job_id, status: job.status, collection };
  if (job.status === "failed") {
    throw new ToolError(`Job ${accepted.job_id} failed: ${job.error || "the engine gave no reason"}`);
  }
  if (job.status !== "done") {
    return {
      ...answer,
      next: "Accepted and safe, still being processed: call kb_jobs with this job_id and wait.",
    };
  }
  if (job.outcome) answer.outcome = job.outcome;
  if (job.document_id === null || job.document_id === undefined) return answer;
  // A document that was just created has the tags of its job. One that was there before had a collection of its own,
  // and only engines of this contract's v3 are known to move it; one fetch tells. An engine that does not say what it
  // did is asked too.
  const found = job.outcome === "created" ? undefined : await settle(job.document_id, collection, context);
  return {
    ...answer,
    document_id: job.document_id,
    ...(found && job.outcome === "duplicate" ? describeDuplicate(found) : {}),
  };
}

/** Which document has the content: it may be filed under other names than this call gave. */
function describeDuplicate(document: Document): Partial<IngestionAnswer> {
  const { title, source_path } = visible(document);
  return {
    ...(title ? { title } : {}),
    ...(source_path ? { source_path } : {}),
    note: `The content was already there; ${
      source_path ? `its source_path is ${JSON.stringify(source_path)}` : "it has no source_path"
    }.`,
  };
}

/** The job as far as it got; what was accepted stays accepted, whatever becomes of the asking. */
async function waited(
  accepted: JobAccepted,
  { engine, log, jobWaitMs, signal, draining }: Context,
  report: Report,
) {
  const unfinished: Partial<Job> & Pick<Job, "status"> = { status: accepted.status };
  if (jobWaitMs === 0) return unfinished;
  const onPoll = (job: Partial<Job>) => reportJob(report, job);
  onPoll(unfinished);
  try {
    return await engine.waitForJob(accepted.job_id, {
      timeoutMs: jobWaitMs,
      signal,
      until: draining,
      onPoll,
    });
  } catch (error) {
    if (!(error instanceof EngineError) || error.code === "cancelled") throw error;
    log.warn("job could not be followed", { job_id: accepted.job_id, error });
    return unfinished;
  }
}

async function settle(id: Id, collection: string, { engine, signal }: Context): Promise<Document> {
  try {
    const document = await engine.document(id, { chunks: false }, { signal });
    const plan = movePlan(document.tags, collection);
    if (plan.remove.length + plan.add.length > 0) await engine.changeTags(id, plan, { signal });
    return document;
  } catch (error) {
    if (!(error instanceof EngineError) || error.code === "cancelled") throw error;
    throw new ToolError(
      `The content is stored as document ${id}, which was there before, but it could not be moved to collection ` +
        `"${collection}": ${error.message} Call kb_set_collection for document ${id}.`,
      { cause: error },
    );
  }
}
