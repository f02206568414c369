import type { DatabaseSync } from "node:sqlite";
import type { Job, JobPage, JobsQuery } from "../../../contract/mod.ts";
import { decodeNumberCursor, KnowledgeBaseError, takePage } from "../../knowledge_base/mod.ts";
import { CONTAINED_JOBS } from "./contained_fields.ts";
import { JOB_COLUMNS, type JobRow, jobRow, toJob } from "./jobs.ts";
import { all, count, first } from "./sql.ts";

/**
 * Returns a job, or undefined if there never was one.
 *
 * @throws {KnowledgeBaseError} `expired` if it ended and was pruned.
 */
export function getJob(db: DatabaseSync, id: number): Job | undefined {
  const row = jobRow(db, id);
  if (row) return toJob(db, row);
  // Ids are never reused, and only ended jobs are deleted.
  const lastId = count(db, "SELECT seq AS n FROM sqlite_sequence WHERE name = 'jobs'");
  if (id < 1 || id > lastId) return undefined;
  throw expiredJob(db, id);
}

function expiredJob(db: DatabaseSync, id: number): KnowledgeBaseError {
  // The jobs that ended first are pruned first.
  const { time } = first<{ time: string | null }>(
    db,
    "SELECT min(finished_at) AS time FROM jobs WHERE status IN ('done', 'failed', 'cancelled')",
  ) ?? { time: null };
  return new KnowledgeBaseError(
    "expired",
    `Job ${id} has ended${
      time === null ? "" : ` before ${time}`
    }, and only the jobs that ended last are kept ` +
      "(KB_KEPT_JOBS): if it succeeded, its document is stored",
    { details: { job_id: id, ...(time !== null && { ended_before: time }) } },
  );
}

/**
 * Returns a page of jobs, newest first.
 *
 * @throws {KnowledgeBaseError} `invalid` for an unknown cursor.
 */
export function listJobs(db: DatabaseSync, query: JobsQuery & { limit: number }): JobPage {
  const { status, parent_job_id: parent, limit } = query;
  const before = query.cursor === undefined ? Number.MAX_SAFE_INTEGER : decodeNumberCursor(query.cursor);
  const tree = parent === undefined ? "" : CONTAINED_JOBS;
  const conditions = [
    ...(parent === undefined ? [] : ["id IN (SELECT id FROM contained)", "outcome IS NOT 'unpacked'"]),
    ...(status === undefined ? [] : ["status = ?"]),
  ];
  const params = [
    ...(parent === undefined ? [] : [Number(parent)]),
    ...(status === undefined ? [] : [status]),
  ];
  const where = (all: readonly string[]) => all.length === 0 ? "" : `WHERE ${all.join(" AND ")}`;
  const total = count(db, `${tree} SELECT count(*) AS n FROM jobs ${where(conditions)}`, ...params);
  const rows = all<JobRow>(
    db,
    `${tree} SELECT ${JOB_COLUMNS} FROM jobs ${where([...conditions, "id < ?"])} ORDER BY id DESC LIMIT ?`,
    ...params,
    before,
    limit + 1,
  );
  const page = takePage(rows, { limit, key: ({ id }) => [id] });
  return { jobs: page.rows.map((row) => toJob(db, row)), total, next_cursor: page.nextCursor };
}

/** Returns the names of the spool files of unfinished jobs, and of those that can be retried. All others can be removed. */
export function spooledFiles(db: DatabaseSync): Set<string> {
  const rows = all<{ name: string }>(
    db,
    "SELECT spool_file AS name FROM jobs WHERE status <> 'done' AND spool_file IS NOT NULL",
  );
  return new Set(rows.map((row) => row.name));
}

/** Whether any file is queued. */
export function hasQueuedFiles(db: DatabaseSync): boolean {
  return all(db, "SELECT 1 FROM jobs WHERE status = 'queued' AND spool_file IS NOT NULL LIMIT 1").length > 0;
}

/** Whether any job is queued or was interrupted. */
export function hasUnfinishedJobs(db: DatabaseSync): boolean {
  return all(db, "SELECT 1 FROM jobs WHERE status IN ('queued', 'processing') LIMIT 1").length > 0;
}

/** Number of queued files from which an import is running. */
const IMPORT_FILES = 8;

/** Whether many files are queued. */
export function isImporting(db: DatabaseSync): boolean {
  // Rows of the partial index `jobs_waiting_files`.
  const waiting = first(
    db,
    "SELECT 1 AS found FROM jobs WHERE status = 'queued' AND spool_file IS NOT NULL LIMIT 1 OFFSET ?",
    IMPORT_FILES - 1,
  );
  return waiting !== undefined;
}
