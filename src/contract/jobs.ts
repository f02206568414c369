import * as z from "zod";
import { Cursor, Id, NoteText, SourcePath, Tags, Timestamp, Title, Version } from "./primitives.ts";
import { MAX_PAGE } from "./rules/limits.ts";

/** States of a job, in order. `done`, `failed` and `cancelled` (since contract 3.5) are final. */
export const JobStatus = z.enum(["queued", "processing", "done", "failed", "cancelled"]);
/** Inferred from {@linkcode JobStatus}. */
export type JobStatus = z.infer<typeof JobStatus>;

/** Fields of the multipart form of `POST /api/v1/jobs`. It has either `text` or a `file` part. */
export const JobForm = z.object({
  text: NoteText.optional(),
  title: Title.optional(),
  source_path: SourcePath.optional(),
  tags: Tags.default([]),
  /** Replaces whatever is at the `source_path`. Since contract 3.3. */
  overwrite: z.stringbool().default(false),
  /**
   * The collection in `tags` is only a default: a document that is stored already keeps its own. Since contract
   * 3.3.
   */
  keep_collection: z.stringbool().default(false),
  /**
   * Changes no document that is stored already: another one at the `source_path` is a conflict, and a duplicate keeps its
   * tags, collection and path. Nor may it take the path of a file of a source. Cannot be combined with `overwrite`. Since
   * contract 3.7.
   */
  add_only: z.stringbool().default(false),
});
/** Inferred from {@linkcode JobForm}. */
export type JobForm = z.infer<typeof JobForm>;

/** The document at a `source_path` that a job did not replace. */
export const PathConflict = z.looseObject({
  document_id: Id,
  title: z.string().nullable(),
  doc_type: z.string(),
  collection: z.string().nullable(),
  size_bytes: z.int().nullish(),
  version: Version.nullish(),
  /** Source whose file the document follows: it changes with the file only, also with `overwrite`. Since contract 3.6. */
  source: z.string().nullish(),
});
/** Inferred from {@linkcode PathConflict}. */
export type PathConflict = z.infer<typeof PathConflict>;

/** Progress of a stage. */
export const JobWork = z.looseObject({
  /** `pages`, `rows`, `files`, `chunks` or `vectors`. */
  unit: z.string(),
  done: z.int().nonnegative(),
  /** Null while it is unknown. */
  total: z.int().nonnegative().nullish(),
});
/** Inferred from {@linkcode JobWork}. */
export type JobWork = z.infer<typeof JobWork>;

/** An ingestion job. */
export const Job = z.looseObject({
  job_id: Id,
  /** A {@linkcode JobStatus}. */
  status: z.string(),
  /** `queued`, `extracting`, `indexing` or `finished`. */
  stage: z.string().nullish(),
  /** Share of the work that is done, from 0 to 1. */
  progress: z.number().nullish(),
  /** Progress of the `stage` in its own unit. Since contract 3.5. */
  work: JobWork.nullish(),
  title: z.string().nullish(),
  /** Name of the file, if the job has one. */
  filename: z.string().nullish(),
  source_path: z.string().nullish(),
  tags: z.array(z.string()).nullish(),
  /** Document that was created, found or replaced, once `done`. */
  document_id: Id.nullish(),
  /**
   * `created`, `duplicate` (same content: tags are merged), `replaced` (same `source_path`) or, since contract 3.5,
   * `unpacked` (an archive: its files have jobs of their own), once `done`.
   */
  outcome: z.string().nullish(),
  /** Collection that a duplicate was in before the job moved it. Since contract 3.3. */
  moved_from: z.string().nullish(),
  /** Version before a replacement, which can be restored. Since contract 3.3. */
  restorable_version: Version.nullish(),
  /** With the `error_code` `conflict`: the document at the `source_path`, unchanged. Since contract 3.3. */
  conflict: PathConflict.nullish(),
  /** Doubts about the text, such as a guessed encoding or pages that could not be read. Since contract 3.5. */
  warning: z.string().nullish(),
  /** The job of the archive or message that the file is from. Since contract 3.5. */
  parent_job_id: Id.nullish(),
  /** Number of jobs of the files in the archive or message, by status. Since contract 3.5. */
  file_jobs: z.record(z.string(), z.int().nonnegative()).nullish(),
  /** Reason of the failure, for the person or model that sent the job. */
  error: z.string().nullish(),
  /**
   * Reason of the failure, for programs: `unsupported_type`, `no_text`, `unreadable_text`, `too_large`, `damaged`,
   * `encrypted`, `timeout`, `missing_file`, `conflict`, `internal`.
   */
  error_code: z.string().nullish(),
  created_at: Timestamp.nullish(),
  started_at: Timestamp.nullish(),
  finished_at: Timestamp.nullish(),
});
/** Inferred from {@linkcode Job}. */
export type Job = z.infer<typeof Job>;

/**
 * Response of `POST /api/v1/jobs` (202). The job is durable. Since contract 3.6 a short note is usually stored before
 * the response: then the job is `done`, with all of its fields.
 */
export const JobAccepted = z.looseObject(Job.shape);
/** Inferred from {@linkcode JobAccepted}. */
export type JobAccepted = z.infer<typeof JobAccepted>;

/** Whether a job has a final status, and those of the files in its archive or message, too. */
export function hasEnded({ status, file_jobs }: Pick<Job, "status" | "file_jobs">): boolean {
  const isFinal = status === "done" || status === "failed" || status === "cancelled";
  return isFinal && unfinishedFiles({ file_jobs }) === 0;
}

/** Returns the number of files in an archive or message that are still being processed. */
export function unfinishedFiles({ file_jobs }: Pick<Job, "file_jobs">): number {
  return (file_jobs?.["queued"] ?? 0) + (file_jobs?.["processing"] ?? 0);
}

/** Maximum of `wait_ms`, in milliseconds: proxies close connections that are idle for longer than a minute. */
export const MAX_JOB_WAIT_MS = 30_000;

/** Query of `GET /api/v1/jobs/{id}`. */
export const JobQuery = z.object({
  /**
   * Waits until the job and those of its files have ended, for up to this many milliseconds, and returns it as it is
   * then. Ignored before contract 3.6.
   */
  wait_ms: z.coerce.number().int().nonnegative().max(MAX_JOB_WAIT_MS).default(0),
});
/** Query of `GET /api/v1/jobs/{id}` before parsing. */
export type JobQuery = z.input<typeof JobQuery>;

/** Query of `GET /api/v1/jobs`. */
export const JobsQuery = z.object({
  status: JobStatus.optional(),
  /**
   * Only the files in the archive or message of this job, those of nested archives included, without the archives
   * themselves. Ignored before contract 3.5.
   */
  parent_job_id: z.coerce.number().int().positive().optional(),
  limit: z.coerce.number().int().positive().max(MAX_PAGE).default(20),
  cursor: Cursor.optional(),
});
/** Query of `GET /api/v1/jobs` before parsing. */
export type JobsQuery = z.input<typeof JobsQuery>;

/** Response of `GET /api/v1/jobs`, newest first. */
export const JobPage = z.looseObject({
  jobs: z.array(Job),
  /** Number of matching jobs on all pages. */
  total: z.int().nonnegative().nullish(),
  next_cursor: z.string().nullish(),
});
/** Inferred from {@linkcode JobPage}. */
export type JobPage = z.infer<typeof JobPage>;
