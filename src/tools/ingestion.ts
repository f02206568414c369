import * as z from "zod";
import { EngineError, type SubmittedJob } from "../client/mod.ts";
import { type Job, type PathConflict, unfinishedFiles } from "../contract/mod.ts";
import { isEmpty, withVisibleText } from "../presentation/mod.ts";
import { oneLine, quoteText } from "../text/mod.ts";
import { describeExisting, mayReplace, type TargetCollection } from "./existing_document.ts";
import { OutputId } from "./outputs.ts";
import { reportJob, type ReportShare } from "./progress.ts";
import { type ToolContext, ToolError } from "./tool.ts";

/** Output of `kb_addnote` and `kb_upload_finish`. */
export const IngestionOutput = z.looseObject({
  job_id: OutputId,
  status: z.string(),
  /** Collection of the document; the requested one until it is stored. */
  collection: z.string().nullable(),
  /** Set once `status` is `done`. With a conflict, the document at the `source_path`. */
  document_id: OutputId.optional(),
  /** `created`, `duplicate`, `replaced`, `unpacked` (an archive: `file_jobs` counts its files) or `conflict`. */
  outcome: z.string().optional(),
  next: z.string().optional(),
});
/** Inferred from {@linkcode IngestionOutput}. */
export type IngestionOutput = z.infer<typeof IngestionOutput>;

/** Maximum length of a warning in an output, in UTF-16 code units. */
const MAX_WARNING_CHARS = 1_000;

/** Timeout of the question whether the engine can write, in milliseconds. */
const STATE_TIMEOUT_MS = 2_000;

/** Dependencies of following a job. */
type Context = Pick<ToolContext, "caller" | "engine" | "log" | "jobWaitMs" | "signal" | "draining">;

/**
 * Waits up to `jobWaitMs` for an accepted job, so that the output can name its document, and ensures that the
 * document is in one collection only.
 *
 * @throws {ToolError} If the job failed for another reason than a conflict, or the collection could not be set.
 */
export async function followJob(
  submitted: SubmittedJob,
  target: TargetCollection,
  { report, ...context }: Context & { report: ReportShare },
): Promise<IngestionOutput> {
  const { job_id, unsupported = [] } = submitted;
  const job = await waitForJob(submitted, context, report);
  const output: IngestionOutput = { job_id, status: job.status, collection: target.name };
  if (job.status === "failed") {
    if (job.error_code === "conflict" && job.conflict) {
      return { ...output, ...describeConflict(job.conflict, mayReplace(context.caller)) };
    }
    const code = job.error_code ? ` (${oneLine(job.error_code, 40)})` : "";
    throw new ToolError(
      `Job ${job_id} failed${code}: ${oneLine(job.error ?? "") || "the engine gave no reason"}`,
    );
  }
  if (job.status === "cancelled") throw new ToolError(`Job ${job_id} was cancelled. Nothing was stored.`);
  if (job.status !== "done") {
    return { ...output, next: await nextOfUnfinished(context) };
  }
  const { document_id, outcome, warning, file_jobs } = job;
  if (outcome) output.outcome = outcome;
  if (file_jobs) output["file_jobs"] = file_jobs;
  if (unfinishedFiles(job) > 0) {
    output.next = "Its files are still being processed: call kb_jobs with this job_id and wait.";
  }
  if (warning) output["warning"] = oneLine(warning, MAX_WARNING_CHARS);
  if (document_id === null || document_id === undefined) return output;
  output.document_id = document_id;
  // A new document has the tags of its job. An existing one may be in another collection, and an engine that
  // reports no outcome may have found an existing one.
  if (outcome === "created") return output;
  return { ...output, ...await describeExisting({ ...job, document_id, unsupported }, target, context) };
}

/** Returns what to do about an accepted job that has not ended in time: it waits for as long as the engine cannot write. */
async function nextOfUnfinished({ engine, jobWaitMs, signal }: Context): Promise<string> {
  const processing = "Accepted and still being processed: call kb_jobs with this job_id and wait.";
  if (jobWaitMs === 0) return processing;
  const limited = AbortSignal.any([signal, AbortSignal.timeout(STATE_TIMEOUT_MS)]);
  const status = await engine.status({ signal: limited }).catch(() => undefined);
  const state = oneLine(status?.storage?.state ?? "ok", 40);
  if (state === "ok") return processing;
  return `Accepted, but the engine cannot store it now (${state}). Tell the user, for whom kb_status has the reason; it is ` +
    "stored once that is fixed. Do not send it again: call kb_jobs with this job_id later.";
}

/** Says why a document of a source is not replaced, and what to do. */
export function followsFile(source: string): string {
  return `this document follows its file in the source ${
    quoteText(source)
  }. Change the file, or start again with ` +
    "another source_path.";
}

/** Describes the document at the `source_path` of a job that has changed nothing. */
function describeConflict(conflict: PathConflict, canReplace: boolean): Partial<IngestionOutput> {
  const { document_id, title, doc_type, collection, size_bytes, source } = withVisibleText(conflict);
  const edit = doc_type === "note" ? ", or change that note with kb_edit or kb_update_note" : "";
  const next = !source && !canReplace
    ? "this document is at the source_path, and your key only adds. Start again with another source_path; to replace it, " +
      "the user needs a key with the scope write."
    : !source
    ? "this document is at the source_path. Start again with another source_path, or with overwrite: true to " +
      `replace it${edit}.`
    : followsFile(source);
  return {
    outcome: "conflict",
    document_id,
    ...(isEmpty(title) ? {} : { title }),
    doc_type,
    collection,
    ...(isEmpty(size_bytes) ? {} : { size_bytes }),
    next: `Nothing was changed: ${next}`,
  };
}

/** Returns the job as of the last poll. A failed poll is only logged, because the job has been accepted. */
async function waitForJob(
  submitted: SubmittedJob,
  { engine, log, jobWaitMs, signal, draining }: Context,
  report: ReportShare,
): Promise<Partial<Job> & Pick<Job, "status">> {
  // The engine may have stored a short note before it responded.
  const isStored = submitted.status === "done" && !isEmpty(submitted.document_id);
  const known: Partial<Job> & Pick<Job, "status"> = isStored ? submitted : { status: submitted.status };
  if (jobWaitMs === 0) return known;
  const onPoll = (job: Partial<Job>) => reportJob(report, job);
  onPoll(known);
  if (isStored) return known;
  try {
    return await engine.waitForJob(submitted.job_id, {
      timeoutMs: jobWaitMs,
      signal,
      until: draining,
      onPoll,
    });
  } catch (error) {
    if (!(error instanceof EngineError) || error.code === "cancelled") throw error;
    log.warn("failed to poll job", { job_id: submitted.job_id, error });
    return known;
  }
}
