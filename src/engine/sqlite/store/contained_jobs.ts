import type { DatabaseSync } from "node:sqlite";
import { MAX_SOURCE_PATH_CHARS } from "../../../contract/rules/mod.ts";
import type { FileTotals, NewContainedFile, NewJob } from "../../knowledge_base/mod.ts";
import { CONTAINED_JOBS } from "./contained_fields.ts";
import { failJob, insertJob, JOB_COLUMNS, type JobRow } from "./jobs.ts";
import { all, first } from "./sql.ts";

/** SHA-256 of a file without bytes. */
const NO_HASH = "";

/** Options of {@linkcode insertContainedJobs}. */
export interface ContainedJobsOptions {
  /** Job of the container. */
  readonly parent: JobRow;
  readonly now: string;
  /** Returns the rank of a new job; see {@linkcode QueueOrder}. */
  readonly rankOf: (job: NewJob) => number;
}

/**
 * Queues the files of an archive or message. Their jobs inherit everything that the sender of the container has
 * requested, except for its title.
 *
 * @returns Number of queued files. Those with an error fail at once.
 */
export function insertContainedJobs(
  db: DatabaseSync,
  files: readonly NewContainedFile[],
  { parent, now, rankOf }: ContainedJobsOptions,
): number {
  let queued = 0;
  const inherited = {
    tags: JSON.parse(parent.tags) as string[],
    overwrite: parent.overwrite === 1,
    keepCollection: parent.keep_collection === 1,
    addOnly: parent.add_only === 1,
    ...(parent.actor !== null && { actor: parent.actor }),
    ...(parent.request_id !== null && { requestId: parent.request_id }),
    ...(parent.traceparent !== null && { traceparent: parent.traceparent }),
  };
  for (const { path, contentType, spoolFile, ...file } of files) {
    const sourcePath = containedPath(parent, path);
    const job: NewJob = {
      ...inherited,
      ...(spoolFile !== undefined && { spoolFile }),
      filename: path.slice(path.lastIndexOf("/") + 1),
      ...(contentType !== undefined && { contentType }),
      contentHash: file.error ? NO_HASH : file.contentHash,
      sizeBytes: file.error ? 0 : file.sizeBytes,
      ...(sourcePath !== undefined && { sourcePath }),
    };
    const id = insertJob(db, job, { now, rank: rankOf(job), parent });
    if (file.error) failJob(db, id, file.error, now);
    else queued++;
  }
  return queued;
}

/** Returns the `source_path` of a contained file; undefined if its container has no name. */
function containedPath({ source_path, filename }: JobRow, path: string): string | undefined {
  const container = source_path ?? filename;
  if (container === null) return undefined;
  const joined = `${container}/${path}`;
  return joined.length <= MAX_SOURCE_PATH_CHARS ? joined : undefined;
}

/** Returns the jobs of the files in the file of a job, those of nested archives included. */
export function containedJobs(db: DatabaseSync, id: number): JobRow[] {
  return all(
    db,
    `${CONTAINED_JOBS} SELECT ${JOB_COLUMNS} FROM jobs WHERE id IN (SELECT id FROM contained)`,
    id,
  );
}

/**
 * Number and total size of the files in the outermost container of a job, those of nested archives included, and of the
 * waiting files of all containers.
 */
export function containedTotals(
  db: DatabaseSync,
  jobId: number,
): FileTotals & { readonly waiting: FileTotals } {
  const outermost = first<{ id: number }>(
    db,
    `WITH RECURSIVE container (id, parent) AS (
       SELECT id, parent_job_id FROM jobs WHERE id = ?
        UNION
       SELECT j.id, j.parent_job_id FROM container c JOIN jobs j ON j.id = c.parent
     ) SELECT min(id) AS id FROM container`,
    jobId,
  );
  const totals = first<FileTotals>(
    db,
    `${CONTAINED_JOBS} SELECT count(*) AS files, coalesce(sum(size_bytes), 0) AS bytes FROM contained JOIN jobs USING (id)`,
    outermost?.id ?? jobId,
  );
  const waiting = first<FileTotals>(
    db,
    `SELECT count(*) AS files, coalesce(sum(size_bytes), 0) AS bytes FROM jobs
      WHERE status = 'queued' AND spool_file IS NOT NULL AND depth > 0`,
  );
  return { ...totals ?? NO_FILES, waiting: { ...waiting ?? NO_FILES } };
}

const NO_FILES: FileTotals = { files: 0, bytes: 0 };
