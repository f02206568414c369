import type { DatabaseSync } from "node:sqlite";
import type { Job, JobWork } from "../../../contract/mod.ts";
import type { ExtractionErrorCode } from "../../../extraction/mod.ts";
import {
  type JobProgress,
  KnowledgeBaseError,
  LARGE_FILE_BYTES,
  type NewJob,
} from "../../knowledge_base/mod.ts";
import { containedFields } from "./contained_fields.ts";
import { all, count, first, run, storable } from "./sql.ts";

/**
 * Maximum number of attempts at a file. A file is attempted again only if the process ended during ingestion:
 * unrelated restarts must not fail it, but a file that crashes the process must fail eventually.
 */
export const MAX_ATTEMPTS = 10;

/** A row of `jobs`, without the text of a note. */
export interface JobRow {
  id: number;
  status: "queued" | "processing" | "done" | "failed" | "cancelled";
  stage: string;
  progress: number;
  attempts: number;
  spool_file: string | null;
  filename: string | null;
  content_type: string | null;
  content_hash: string;
  size_bytes: number;
  title: string | null;
  source_path: string | null;
  tags: string;
  document_id: number | null;
  outcome: JobOutcome | null;
  error: string | null;
  error_code: string | null;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  overwrite: number;
  keep_collection: number;
  add_only: number;
  actor: string | null;
  request_id: string | null;
  traceparent: string | null;
  /** JSON object. */
  details: string | null;
  /** See {@linkcode QueueOrder}. */
  rank: number;
  is_large: number;
  /** JSON object. */
  work: string | null;
  /** Job of the archive or message that the file is from. */
  parent_job_id: number | null;
  depth: number;
}

/** Columns of {@linkcode JobRow}. */
export const JOB_COLUMNS =
  `id, status, stage, progress, attempts, spool_file, filename, content_type, content_hash, size_bytes, title,
   source_path, tags, document_id, outcome, error, error_code, created_at, started_at, finished_at,
   overwrite, keep_collection, add_only, actor, details, request_id, traceparent, rank, is_large, work,
   parent_job_id, depth`;

/** Outcome of a completed job. */
export type JobOutcome = "created" | "duplicate" | "replaced" | "unpacked";

/** Fields of the contract's job that the ingestion adds. */
export type JobDetails = Pick<Job, "moved_from" | "restorable_version" | "conflict" | "warning">;

/** Why a job has failed. */
export type JobErrorCode = ExtractionErrorCode | "conflict";

/** Inserts a queued job, of a file inside of the file of its parent. Returns its id. */
export function insertJob(
  db: DatabaseSync,
  job: NewJob,
  { now, rank, parent }: { now: string; rank: number; parent?: Pick<JobRow, "id" | "depth"> },
): number {
  const optional = (text: string | undefined) => text === undefined ? null : storable(text);
  return run(
    db,
    `INSERT INTO jobs (status, stage, progress, text, spool_file, filename, content_type, content_hash, size_bytes,
                       title, source_path, tags, overwrite, keep_collection, add_only, actor, request_id,
                       traceparent, created_at, rank, is_large, parent_job_id, depth)
     VALUES ('queued', 'queued', 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    optional(job.text),
    optional(job.spoolFile),
    optional(job.filename),
    optional(job.contentType),
    job.contentHash,
    job.sizeBytes,
    optional(job.title),
    optional(job.sourcePath),
    JSON.stringify(job.tags),
    job.overwrite ? 1 : 0,
    job.keepCollection ? 1 : 0,
    job.addOnly ? 1 : 0,
    optional(job.actor),
    optional(job.requestId),
    optional(job.traceparent),
    now,
    rank,
    job.spoolFile !== undefined && job.sizeBytes > LARGE_FILE_BYTES ? 1 : 0,
    parent?.id ?? null,
    parent ? parent.depth + 1 : 0,
  ).id;
}

/** A note or file that was stored at once, with the job that says so. */
export interface StoredContent {
  readonly job: NewJob;
  readonly result: {
    readonly documentId: number;
    readonly outcome: JobOutcome;
    readonly details: JobDetails;
  };
}

/** Inserts the job of a note or file that is stored already. Returns the job. */
export function insertEndedJob(db: DatabaseSync, { job, result }: StoredContent, now: string): Job {
  const { documentId, outcome, details } = result;
  const optional = (text: string | undefined) => text === undefined ? null : storable(text);
  const [title, filename, sourcePath] = [job.title, job.filename, job.sourcePath].map(optional) as [
    string | null,
    string | null,
    string | null,
  ];
  const { id } = run(
    db,
    `INSERT INTO jobs (status, stage, progress, content_hash, size_bytes, title, filename, content_type, source_path,
                       tags, overwrite, keep_collection, actor, document_id, outcome, details, created_at, started_at,
                       finished_at)
     VALUES ('done', 'finished', 1, '', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    job.sizeBytes,
    title,
    filename,
    optional(job.contentType),
    sourcePath,
    JSON.stringify(job.tags),
    job.overwrite ? 1 : 0,
    job.keepCollection ? 1 : 0,
    optional(job.actor),
    documentId,
    outcome,
    storedDetails(details),
    now,
    now,
    now,
  );
  return {
    job_id: id,
    status: "done",
    stage: "finished",
    progress: 1,
    title,
    filename,
    source_path: sourcePath,
    tags: [...job.tags],
    document_id: documentId,
    outcome,
    error: null,
    error_code: null,
    created_at: now,
    started_at: now,
    finished_at: now,
    ...details,
  };
}

/** Returns a job by id. */
export function jobRow(db: DatabaseSync, id: number): JobRow | undefined {
  return first(db, `SELECT ${JOB_COLUMNS} FROM jobs WHERE id = ?`, id);
}

/** Returns the text of a queued note. */
export function jobText(db: DatabaseSync, id: number): string {
  return first<{ text: string | null }>(db, "SELECT text FROM jobs WHERE id = ?", id)?.text ?? "";
}

/**
 * Returns a job in status `processing`, so that no job ends twice.
 *
 * @throws {KnowledgeBaseError} `not_found`, or `invalid` for another status.
 */
export function runningJob(db: DatabaseSync, id: number): JobRow {
  const job = jobRow(db, id);
  if (!job) throw new KnowledgeBaseError("not_found", `There is no job ${id}`);
  if (job.status !== "processing") {
    throw new KnowledgeBaseError("invalid", `Job ${id} must be processing, got ${job.status}`);
  }
  return job;
}

/**
 * Returns the next file job of a size class: the one with the lowest rank of those with the fewest attempts, so that a
 * file that crashes the process does not block others. Files with the same `source_path` are read one after the other,
 * in the order of their ranks: the last one replaces the others.
 */
export function nextFileJob(db: DatabaseSync, isLarge: boolean): JobRow | undefined {
  return first(
    db,
    `SELECT ${JOB_COLUMNS} FROM jobs AS job
      WHERE status = 'queued' AND spool_file IS NOT NULL AND is_large = ?
        AND (source_path IS NULL OR NOT EXISTS (
          SELECT 1 FROM jobs AS other
           WHERE other.source_path = job.source_path AND other.source_path IS NOT NULL
             AND other.status IN ('queued', 'processing') AND other.spool_file IS NOT NULL
             AND (other.status = 'processing' OR (other.rank, other.id) < (job.rank, job.id))))
      ORDER BY attempts, rank, id LIMIT 1`,
    isLarge ? 1 : 0,
  );
}

/** Returns the lowest rank of the waiting files, or 0. */
export function lowestRank(db: DatabaseSync): number {
  return count(db, "SELECT min(rank) AS n FROM jobs WHERE status = 'queued' AND spool_file IS NOT NULL");
}

/** Returns the highest rank of the unfinished files with a `source_path`, or 0. */
export function lastRankOfPath(db: DatabaseSync, sourcePath: string): number {
  return count(
    db,
    `SELECT max(rank) AS n FROM jobs
      WHERE source_path = ? AND status IN ('queued', 'processing') AND spool_file IS NOT NULL`,
    sourcePath,
  );
}

/** Sets a queued job to `processing` and counts the attempt. */
export function startJob(db: DatabaseSync, id: number, now: string): void {
  run(
    db,
    `UPDATE jobs SET status = 'processing', stage = 'extracting', progress = 0, attempts = attempts + 1, started_at = ?
      WHERE id = ?`,
    now,
    id,
  );
}

/** Requeues a job without counting the attempt. */
export function releaseJob(db: DatabaseSync, id: number): void {
  run(
    db,
    `UPDATE jobs SET status = 'queued', stage = 'queued', progress = 0, work = NULL, attempts = attempts - 1,
                     started_at = NULL
      WHERE id = ?`,
    id,
  );
}

/**
 * Requeues a job after the waiting files of all containers, and those with its `source_path` after it. It counts as
 * large, so that the process for small files does not start it before large ones.
 */
export function postponeJob(db: DatabaseSync, { id, source_path }: Pick<JobRow, "id" | "source_path">): void {
  releaseJob(db, id);
  const last = count(
    db,
    "SELECT max(rank) AS n FROM jobs WHERE status = 'queued' AND spool_file IS NOT NULL AND (depth > 0 OR id = ?)",
    id,
  );
  // Interrupted files come after all others: without their attempts, it would be claimed and postponed again and again.
  const attempts = count(
    db,
    "SELECT max(attempts) AS n FROM jobs WHERE status = 'queued' AND spool_file IS NOT NULL AND (depth > 0 OR id = ?)",
    id,
  );
  run(
    db,
    "UPDATE jobs SET rank = ?, attempts = ?, is_large = 1 WHERE id = ?",
    last + 1,
    Math.min(attempts, MAX_ATTEMPTS - 1),
    id,
  );
  if (source_path === null) return;
  run(
    db,
    `UPDATE jobs SET rank = max(rank, ?)
      WHERE source_path = ? AND status = 'queued' AND spool_file IS NOT NULL AND id > ?`,
    last + 1,
    source_path,
    id,
  );
}

/** Records the progress of a job, unless it has ended. The share of the work that is done never decreases. */
export function updateProgress(db: DatabaseSync, id: number, { stage, progress, work }: JobProgress): void {
  run(
    db,
    "UPDATE jobs SET stage = ?, progress = max(progress, ?), work = ? WHERE id = ? AND status = 'processing'",
    stage,
    Math.min(1, Math.max(0, progress)),
    work === undefined ? null : JSON.stringify(work),
    id,
  );
}

/** Sets a job to `done`. Its text or file, and their hash, are no longer needed. */
export function completeJob(
  db: DatabaseSync,
  id: number,
  { documentId, outcome, details }: { documentId: number | null; outcome: JobOutcome; details: JobDetails },
  now: string,
): void {
  run(
    db,
    `UPDATE jobs SET status = 'done', stage = 'finished', progress = 1, work = NULL, text = NULL, spool_file = NULL,
                     content_hash = '', document_id = ?, outcome = ?, details = ?, started_at = coalesce(started_at, ?), finished_at = ?
      WHERE id = ?`,
    documentId,
    outcome,
    storedDetails(details),
    now,
    now,
    id,
  );
}

/** Errors after which a retry cannot succeed, so that the file is not kept. */
const FINAL_ERRORS: readonly JobErrorCode[] = ["unsupported_type", "missing_file"];

/** Sets a job to `failed`. Its text or file is kept for a retry, unless that cannot succeed. */
export function failJob(
  db: DatabaseSync,
  id: number,
  { code, message, details = {} }: { code: JobErrorCode; message: string; details?: JobDetails },
  now: string,
): void {
  const spoolFile = FINAL_ERRORS.includes(code) ? "NULL" : "spool_file";
  run(
    db,
    `UPDATE jobs SET status = 'failed', stage = 'finished', work = NULL, spool_file = ${spoolFile}, error = ?,
                     error_code = ?, details = ?, started_at = coalesce(started_at, ?), finished_at = ?
      WHERE id = ?`,
    storable(message),
    code,
    storedDetails(details),
    now,
    now,
    id,
  );
}

/** Sets a job to `cancelled`. Its text or file is kept for a retry. */
export function cancelJob(db: DatabaseSync, id: number, now: string): void {
  run(
    db,
    "UPDATE jobs SET status = 'cancelled', stage = 'finished', work = NULL, finished_at = ? WHERE id = ?",
    now,
    id,
  );
}

/** Queues an ended job again, as if it had just been sent. */
export function requeueEnded(db: DatabaseSync, id: number, rank: number): void {
  run(
    db,
    `UPDATE jobs SET status = 'queued', stage = 'queued', progress = 0, attempts = 0, rank = ?, error = NULL,
                     error_code = NULL, details = NULL, started_at = NULL, finished_at = NULL
      WHERE id = ?`,
    rank,
    id,
  );
}

function storedDetails(details: JobDetails): string | null {
  return Object.keys(details).length === 0 ? null : JSON.stringify(details);
}

/** Requeues the jobs of a killed process, with their attempts counted. */
export function requeueInterrupted(db: DatabaseSync): void {
  run(
    db,
    "UPDATE jobs SET status = 'queued', stage = 'queued', progress = 0, work = NULL WHERE status = 'processing'",
  );
}

/** Deletes ended jobs, except the last `keep` to end. Returns their spool files. */
export function pruneJobs(db: DatabaseSync, keep: number): string[] {
  // Counts in an index. To delete, SQLite keeps only the oldest ones while it reads all ended jobs.
  const ended = count(db, "SELECT count(*) AS n FROM jobs WHERE status IN ('done', 'failed', 'cancelled')");
  if (ended <= keep) return [];
  const pruned = all<{ name: string | null }>(
    db,
    `DELETE FROM jobs WHERE id IN (
       SELECT id FROM jobs WHERE status IN ('done', 'failed', 'cancelled')
        ORDER BY finished_at, id LIMIT ?)
     RETURNING spool_file AS name`,
    ended - keep,
  );
  return pruned.flatMap(({ name }) => name === null ? [] : [name]);
}

/** Converts a row to the contract's type. */
export function toJob(db: DatabaseSync, row: JobRow): Job {
  const details = row.details === null ? {} : JSON.parse(row.details) as JobDetails;
  return {
    job_id: row.id,
    status: row.status,
    stage: row.stage,
    progress: row.progress,
    ...(row.work === null ? {} : { work: JSON.parse(row.work) as JobWork }),
    title: row.title,
    filename: row.filename,
    source_path: row.source_path,
    tags: JSON.parse(row.tags) as string[],
    document_id: row.document_id,
    outcome: row.outcome,
    error: row.error,
    error_code: row.error_code,
    created_at: row.created_at,
    started_at: row.started_at,
    finished_at: row.finished_at,
    ...details,
    ...containedFields(db, { ...row, warning: details.warning }),
  };
}
