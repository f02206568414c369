import type { DatabaseSync } from "node:sqlite";
import type { Job } from "../../../contract/mod.ts";
import { all } from "./sql.ts";

/** Selects the jobs of the files in the file of job `?`, those of nested archives included. */
export const CONTAINED_JOBS = `
  WITH RECURSIVE contained (id) AS (
    SELECT id FROM jobs WHERE parent_job_id = ?
     UNION ALL
    SELECT j.id FROM contained c JOIN jobs j ON j.parent_job_id = c.id
  )`;

/** Returns the fields of a job that depend on the jobs of its files. */
export function containedFields(
  db: DatabaseSync,
  { id, parent_job_id, outcome }: { id: number; parent_job_id: number | null; outcome: string | null },
): Pick<Job, "parent_job_id" | "file_jobs" | "warning"> {
  const counts = all<{ status: string; n: number }>(
    db,
    `${CONTAINED_JOBS} SELECT status, count(*) AS n FROM contained JOIN jobs USING (id)
      WHERE outcome IS NOT 'unpacked' GROUP BY status`,
    id,
  );
  const fileJobs = Object.fromEntries(counts.map(({ status, n }) => [status, n]));
  const failed = fileJobs["failed"] ?? 0;
  return {
    ...(parent_job_id !== null && { parent_job_id }),
    ...((counts.length > 0 || outcome === "unpacked") && { file_jobs: fileJobs }),
    ...(outcome === "unpacked" && failed > 0 && {
      warning: `${failed} of ${counts.reduce((sum, { n }) => sum + n, 0)} files could not be read`,
    }),
  };
}
