import type { DatabaseSync } from "node:sqlite";
import type { Job } from "../../../contract/mod.ts";
import { all, first } from "./sql.ts";

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
  const isContainer = outcome === "unpacked" ||
    first(db, "SELECT 1 FROM jobs WHERE parent_job_id = ? LIMIT 1", id) !== undefined;
  if (!isContainer) return parent;
  const counts = all<{ status: string; n: number }>(
    db,
    // Not in the order of the statuses, for which SQLite would read the index of all jobs.
    `${CONTAINED_JOBS} SELECT status, count(*) AS n FROM contained CROSS JOIN jobs USING (id)
      WHERE outcome IS NOT 'unpacked' GROUP BY status`,
    id,
  );
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
    `${CONTAINED_JOBS} SELECT id, filename AS name, error_code FROM contained CROSS JOIN jobs USING (id)
      WHERE status = 'failed' ORDER BY id LIMIT ?`,
    id,
    MAX_NAMED,
  );
  const names = rows.map(({ id, name, error_code }) => `${name ?? "a file"} (${error_code}, job ${id})`);
  return `${names.join(", ")}${failed > rows.length ? ", …" : "."}`;
}
