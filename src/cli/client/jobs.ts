import { hasEnded } from "../../client/mod.ts";
import type { Job, JobStatus } from "../../contract/mod.ts";
import { oneLine } from "../../text/mod.ts";
import type { ClientContext } from "./client_context.ts";
import { minute } from "./document_table.ts";
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
  { head: "STATUS", value: ({ status }) => status },
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
 * @returns The exit status: 1 if the job failed, or has not ended within the time to wait.
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
  return latest.status === "failed" || (wait > 0 && !hasEnded(latest)) ? 1 : 0;
}
