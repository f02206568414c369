import type { DatabaseSync } from "node:sqlite";
import type { Job } from "../../../contract/mod.ts";
import { all } from "./sql.ts";

/**
 * Selects the jobs of the files in the file of job `?`, those of nested archives included. `UNION`, because a database
 * that somebody has changed could have a cycle.
 */
export const CONTAINED_JOBS = `
  WITH RECURSIVE contained (id) AS (
    SELECT id FROM jobs WHERE parent_job_id = ?
     UNION
    SELECT j.id FROM contained c JOIN jobs j ON j.parent_job_id = c.id
  )`;

/** Maximum number of unreadable files that a warning names. */
const MAX_NAMED = 10;

/** Columns of a job that {@linkcode containedFields} reads. */
interface ContainerJob {
  readonly id: number;
  readonly parent_job_id: number | null;
  readonly outcome: string | null;
  /** Warning about its own file. */
  readonly warning: string | null | undefined;
}

/** Returns the fields of a job that depend on the jobs of its files. */
export function containedFields(
  db: DatabaseSync,
  { id, parent_job_id, outcome, warning }: ContainerJob,
): Pick<Job, "parent_job_id" | "file_jobs" | "warning"> {
  const parent = parent_job_id === null ? {} : { parent_job_id };
  const counts = all<{ status: string; n: number }>(
    db,
    `${CONTAINED_JOBS} SELECT status, count(*) AS n FROM contained JOIN jobs USING (id)
      WHERE outcome IS NOT 'unpacked' GROUP BY status`,
    id,
  );
  if (counts.length === 0 && outcome !== "unpacked") return parent;
  const fileJobs = Object.fromEntries(counts.map(({ status, n }) => [status, n]));
  const failed = fileJobs["failed"] ?? 0;
  const total = counts.reduce((sum, { n }) => sum + n, 0);
  const failures = failed === 0
    ? []
    : [`${failed} of ${total} files could not be read: ${nameFailed(db, id, failed)}`];
  const warnings = [warning ?? [], failures].flat();
  return { ...parent, file_jobs: fileJobs, ...(warnings.length > 0 && { warning: warnings.join(" ") }) };
}

/** Names the files that failed, with the codes of their errors. */
function nameFailed(db: DatabaseSync, id: number, failed: number): string {
  const rows = all<{ id: number; name: string | null; error_code: string | null }>(
    db,
    `${CONTAINED_JOBS} SELECT id, filename AS name, error_code FROM contained JOIN jobs USING (id)
      WHERE status = 'failed' ORDER BY id LIMIT ?`,
    id,
    MAX_NAMED,
  );
  const names = rows.map(({ id, name, error_code }) => `${name ?? "a file"} (${error_code}, job ${id})`);
  return `${names.join(", ")}${failed > rows.length ? ", …" : "."}`;
}
