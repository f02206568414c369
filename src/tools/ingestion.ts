import * as z from "zod";
import { EngineError } from "../client/mod.ts";
import {
  type Document,
  type Id,
  type Job,
  type JobAccepted,
  MAX_SOURCE_PATH_CHARS,
} from "../contract/mod.ts";
import { oneLine, quoteText } from "../text/mod.ts";
import { moveDocument } from "./move_document.ts";
import { OutputId, withVisibleText } from "./outputs.ts";
import { reportJob, type ReportShare } from "./progress.ts";
import { type ToolContext, ToolError } from "./tool.ts";

/** Output of `kb_addnote` and `kb_upload_finish`. */
export const IngestionOutput = z.looseObject({
  job_id: OutputId,
  status: z.string(),
  collection: z.string(),
  /** Set once `status` is `done`. */
  document_id: OutputId.optional(),
  /** `created`, `duplicate` or `replaced`. */
  outcome: z.string().optional(),
  next: z.string().optional(),
});
/** Inferred from {@linkcode IngestionOutput}. */
export type IngestionOutput = z.infer<typeof IngestionOutput>;

/** Dependencies of following a job. */
type Context = Pick<ToolContext, "engine" | "log" | "jobWaitMs" | "signal" | "draining">;

/**
 * Waits up to `jobWaitMs` for an accepted job, so that the output can name its document, and ensures that the
 * document is in `collection` only.
 *
 * @throws {ToolError} If the job failed, or the collection could not be set.
 */
export async function followJob(
  accepted: JobAccepted,
  collection: string,
  { report, ...context }: Context & { report: ReportShare },
): Promise<IngestionOutput> {
  const job = await waitForJob(accepted, context, report);
  const output: IngestionOutput = { job_id: accepted.job_id, status: job.status, collection };
  if (job.status === "failed") {
    throw new ToolError(
      `Job ${accepted.job_id} failed: ${oneLine(job.error ?? "") || "the engine gave no reason"}`,
    );
  }
  if (job.status !== "done") {
    return { ...output, next: "Accepted and still being processed: call kb_jobs with this job_id and wait." };
  }
  if (job.outcome) output.outcome = job.outcome;
  if (job.document_id === null || job.document_id === undefined) return output;
  // A new document has the tags of its job. An existing one may be in another collection, and an engine that
  // reports no outcome may have found an existing one.
  const existing = job.outcome === "created"
    ? undefined
    : await settleCollection(job.document_id, collection, context);
  return {
    ...output,
    document_id: job.document_id,
    ...(existing && job.outcome === "duplicate" ? describeDuplicate(existing) : {}),
  };
}

/**
 * Returns title and source of the document that already has the content; they may differ from this call's.
 */
function describeDuplicate(document: Document): Partial<IngestionOutput> {
  const { title, source_path } = withVisibleText(document);
  return {
    ...(title ? { title } : {}),
    ...(source_path ? { source_path } : {}),
    note: `The content was already stored; ${
      source_path
        ? `its source_path is ${quoteText(source_path, MAX_SOURCE_PATH_CHARS)}`
        : "it has no source_path"
    }.`,
  };
}

/** Returns the job as of the last poll. A failed poll is only logged, because the job has been accepted. */
async function waitForJob(
  accepted: JobAccepted,
  { engine, log, jobWaitMs, signal, draining }: Context,
  report: ReportShare,
): Promise<Partial<Job> & Pick<Job, "status">> {
  const unknown: Partial<Job> & Pick<Job, "status"> = { status: accepted.status };
  if (jobWaitMs === 0) return unknown;
  const onPoll = (job: Partial<Job>) => reportJob(report, job);
  onPoll(unknown);
  try {
    return await engine.waitForJob(accepted.job_id, {
      timeoutMs: jobWaitMs,
      signal,
      until: draining,
      onPoll,
    });
  } catch (error) {
    if (!(error instanceof EngineError) || error.code === "cancelled") throw error;
    log.warn("failed to poll job", { job_id: accepted.job_id, error });
    return unknown;
  }
}

async function settleCollection(id: Id, collection: string, context: Context): Promise<Document> {
  try {
    return (await moveDocument(id, collection, context)).document;
  } catch (error) {
    if (!(error instanceof EngineError) || error.code === "cancelled") throw error;
    throw new ToolError(
      `The content is stored as the existing document ${id}, but it could not be moved to collection ` +
        `"${collection}": ${error.message} Call kb_set_collection for document ${id}.`,
      { cause: error },
    );
  }
}
