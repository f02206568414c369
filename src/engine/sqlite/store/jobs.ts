import type { DatabaseSync } from "node:sqlite";
import type { Job } from "../../../contract/mod.ts";
import type { ExtractionErrorCode } from "../../../extraction/mod.ts";
import { KnowledgeBaseError, type NewJob } from "../../knowledge_base/mod.ts";
import { first, run, storable } from "./sql.ts";

/** A row of `jobs`, without the text of a note, which is read only to be ingested. */
export interface JobRow {
  id: number;
  status: "queued" | "processing" | "done" | "failed";
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
  outcome: Outcome | null;
  error: string | null;
  error_code: string | null;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
}

/** The columns of {@linkcode JobRow}. */
export const JOB_COLUMNS =
  `id, status, stage, progress, attempts, spool_file, filename, content_type, content_hash, size_bytes, title,
   source_path, tags, document_id, outcome, error, error_code, created_at, started_at, finished_at`;

/** What a job did, once it is done. */
export type Outcome = "created" | "duplicate" | "replaced";

/** Accepts a job; returns its id. */
export function insertJob(db: DatabaseSync, job: NewJob, now: string): number {
  const optional = (text: string | undefined) => text === undefined ? null : storable(text);
  return run(
    db,
    `INSERT INTO jobs (status, stage, progress, text, spool_file, filename, content_type, content_hash, size_bytes,
                       title, source_path, tags, created_at)
     VALUES ('queued', 'queued', 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    optional(job.text),
    optional(job.spoolFile),
    optional(job.filename),
    optional(job.contentType),
    job.contentHash,
    job.sizeBytes,
    optional(job.title),
    optional(job.sourcePath),
    JSON.stringify(job.tags),
    now,
  ).id;
}

/** The job with this id. */
export function jobRow(db: DatabaseSync, id: number): JobRow | undefined {
  return first(db, `SELECT ${JOB_COLUMNS} FROM jobs WHERE id = ?`, id);
}

/** The text of the note that a queued job brings. */
export function jobText(db: DatabaseSync, id: number): string {
  return first<{ text: string | null }>(db, "SELECT text FROM jobs WHERE id = ?", id)?.text ?? "";
}

/**
 * The job with this id, which has to be in `processing`: a job ends once.
 *
 * @throws {KnowledgeBaseError} `not_found`, or `invalid` when it is in another state.
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
 * The file job whose turn it is: the oldest, but those that were interrupted stand behind those that were not, so
 * that a file on which the process dies holds nobody up.
 */
export function nextFileJob(db: DatabaseSync): JobRow | undefined {
  return first(
    db,
    `SELECT ${JOB_COLUMNS} FROM jobs
      WHERE status = 'queued' AND spool_file IS NOT NULL ORDER BY attempts, id LIMIT 1`,
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

/** Puts a job that was started back, and does not count the attempt. */
export function releaseJob(db: DatabaseSync, id: number): void {
  run(
    db,
    `UPDATE jobs SET status = 'queued', stage = 'queued', progress = 0, attempts = attempts - 1, started_at = NULL
      WHERE id = ?`,
    id,
  );
}

/** Records how far a job is; one that has ended meanwhile stays as it is. */
export function reportStage(db: DatabaseSync, id: number, stage: string, progress: number): void {
  run(
    db,
    "UPDATE jobs SET stage = ?, progress = ? WHERE id = ? AND status = 'processing'",
    stage,
    progress,
    id,
  );
}

/** Ends a job well. Its text or file is no longer needed. */
export function endDone(
  db: DatabaseSync,
  id: number,
  result: { documentId: number; outcome: Outcome },
  now: string,
): void {
  run(
    db,
    `UPDATE jobs SET status = 'done', stage = 'finished', progress = 1, text = NULL, spool_file = NULL,
                     document_id = ?, outcome = ?, started_at = coalesce(started_at, ?), finished_at = ?
      WHERE id = ?`,
    result.documentId,
    result.outcome,
    now,
    now,
    id,
  );
}

/** Ends a job as failed. Its text or file is no longer needed. */
export function endFailed(
  db: DatabaseSync,
  id: number,
  { code, message }: { code: ExtractionErrorCode; message: string },
  now: string,
): void {
  run(
    db,
    `UPDATE jobs SET status = 'failed', stage = 'finished', text = NULL, spool_file = NULL, error = ?, error_code = ?,
                     started_at = coalesce(started_at, ?), finished_at = ?
      WHERE id = ?`,
    storable(message),
    code,
    now,
    now,
    id,
  );
}

/** Puts back what a killed process was working on. The attempts stay counted. Returns how many jobs there were. */
export function requeueInterrupted(db: DatabaseSync): number {
  return run(
    db,
    "UPDATE jobs SET status = 'queued', stage = 'queued', progress = 0 WHERE status = 'processing'",
  )
    .changes;
}

/** Forgets ended jobs but the `keep` that ended last. */
export function pruneJobs(db: DatabaseSync, keep: number): void {
  run(
    db,
    `DELETE FROM jobs WHERE id IN (
       SELECT id FROM jobs WHERE status IN ('done', 'failed') ORDER BY finished_at DESC, id DESC LIMIT -1 OFFSET ?)`,
    keep,
  );
}

/** A job in the shape of the contract. */
export function jobShape(row: JobRow): Job {
  return {
    job_id: row.id,
    status: row.status,
    stage: row.stage,
    progress: row.progress,
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
  };
}
