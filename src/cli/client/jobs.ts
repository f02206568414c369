import { describeStage, EngineError } from "../../client/mod.ts";
import { hasEnded, type Id, type Job, type JobStatus, MAX_PAGE } from "../../contract/mod.ts";
import { oneLine } from "../../text/mod.ts";
import type { ClientContext } from "./client_context.ts";
import { minute } from "./document_table.ts";
import { EX_USAGE, ExitError } from "../exit_status.ts";
import { errorText } from "./error_text.ts";
import { parseId } from "./ids.ts";
import { type Column, table } from "./table.ts";

/** Options of `kb-mcp jobs`, as the parser returns them. */
export interface JobOptions {
  readonly status?: JobStatus;
  readonly limit?: number;
  readonly cursor?: string;
  /** Maximum time to wait for the job, in seconds. */
  readonly wait?: number;
}

const JOBS: readonly Column<Job>[] = [
  { head: "JOB", value: ({ job_id }) => job_id, align: "right" },
  { head: "STATUS", value: describeStatus },
  { head: "DOCUMENT", value: ({ document_id }) => document_id, align: "right" },
  { head: "OUTCOME", value: ({ outcome, error_code }) => outcome ?? error_code },
  {
    head: "NAME",
    value: ({ title, source_path, filename }) => title ?? source_path ?? filename,
    minWidth: 16,
  },
  { head: "CREATED", value: ({ created_at }) => minute(created_at) },
  { head: "ERROR", value: ({ error, warning }) => error ?? (warning && `Warning: ${warning}`), minWidth: 16 },
];

/** Returns the step of a job in progress. A job that has ended may still name its last one. */
function describeStatus({ status, stage, work }: Job): string {
  return work && !hasEnded({ status }) ? describeStage({ stage, work }) : status;
}

/** Options of `kb-mcp jobs retry`. */
export interface RetryOptions {
  /** Retry all failed jobs whose content is still kept. */
  readonly allFailed?: boolean;
}

/** Implements `kb-mcp jobs cancel ID`. */
export async function cancelJob(id: string, { client, output, signal }: ClientContext): Promise<void> {
  const job = await ofState(client.cancelJob(parseId(id), { signal }));
  if (output.isJson) output.json(job);
  else output.lines(`Job ${job.job_id} is cancelled.`);
}

/** Reports a job whose state does not allow a change as a failure: the arguments of the command are right. */
async function ofState(changed: Promise<Job>): Promise<Job> {
  try {
    return await changed;
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== "invalid") throw error;
    throw new ExitError(1, errorText(error.message), { cause: error });
  }
}

/**
 * Implements `kb-mcp jobs retry ID` and `kb-mcp jobs retry --all-failed`.
 *
 * @returns The exit status: 2 if some of all failed jobs could not be queued.
 * @throws {ExitError} When neither or both of an id and `--all-failed` are given.
 */
export async function retryJobs(
  id: string | undefined,
  { allFailed = false }: RetryOptions,
  { client, output, signal }: ClientContext,
): Promise<number> {
  if ((id === undefined) !== allFailed) {
    throw new ExitError(EX_USAGE, "Cannot retry: give either the id of a job or --all-failed");
  }
  if (id !== undefined) {
    const job = await ofState(client.retryJob(parseId(id), { signal }));
    if (output.isJson) output.json(job);
    else output.lines(`Job ${job.job_id} is queued again.`);
    return 0;
  }
  const failed: Id[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.jobs({ status: "failed", limit: MAX_PAGE, cursor }, { signal });
    failed.push(...page.jobs.map(({ job_id }) => job_id));
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  const retried: Id[] = [];
  const kept: { job_id: Id; error: string }[] = [];
  for (const id of failed) {
    try {
      await client.retryJob(id, { signal });
      retried.push(id);
    } catch (error) {
      // Its content is no longer kept, or another program has changed the job.
      const isExpected = error instanceof EngineError &&
        ["conflict", "expired", "not_found"].includes(error.code);
      if (!isExpected) throw error;
      kept.push({ job_id: id, error: error.message });
    }
  }
  if (output.isJson) output.json({ retried, not_retried: kept });
  else {
    output.lines(`${retried.length} of ${failed.length} failed jobs are queued again.`);
    if (kept.length > 0) output.lines("Add the files of the others again: their content is no longer kept.");
  }
  return kept.length > 0 ? 2 : 0;
}

/** Implements `kb-mcp jobs`: the latest jobs. */
export async function jobs(options: JobOptions, { client, output, signal }: ClientContext): Promise<void> {
  const { status, limit, cursor } = options;
  const page = await client.jobs({ status, limit, cursor }, { signal });
  if (output.isJson) return output.json(page);
  output.lines(...(page.jobs.length > 0 ? table(page.jobs, JOBS, output) : ["No jobs."]));
  if (page.next_cursor) output.lines(output.colors.dim(`More: --cursor ${oneLine(page.next_cursor)}`));
}

/**
 * Implements `kb-mcp jobs ID`: one job.
 *
 * @returns The exit status: 1 if the job failed, was cancelled, or has not ended within the time to wait.
 */
export async function job(
  id: string,
  { wait = 0 }: JobOptions,
  { client, output, signal }: ClientContext,
): Promise<number> {
  const first = await client.job(parseId(id), { signal });
  const latest = wait === 0 || hasEnded(first)
    ? first
    : await client.waitForJob(parseId(id), { timeoutMs: wait * 1000, signal });
  if (output.isJson) output.json(latest);
  else output.lines(...table([latest], JOBS, output));
  return latest.status === "failed" || latest.status === "cancelled" || (wait > 0 && !hasEnded(latest))
    ? 1
    : 0;
}
