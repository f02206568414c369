import * as z from "zod";
import { Cursor, Id, MAX_PAGE, NoteText, SourcePath, Tags, Timestamp, Title } from "./primitives.ts";

/** The states of a job, in order. `done` and `failed` are final. */
export const JOB_STATUSES = ["queued", "processing", "done", "failed"] as const;
/** One of {@linkcode JOB_STATUSES}. */
export const JobStatus = z.enum(JOB_STATUSES);
/** Inferred from {@linkcode JobStatus}. */
export type JobStatus = z.infer<typeof JobStatus>;

/** What a finished job did: a new document, nothing but tags (same bytes), or a new version at a `source_path`. */
export const JOB_OUTCOMES = ["created", "duplicate", "replaced"] as const;

/** Fields of the multipart form of `POST /api/v1/jobs` beside the `file` part; exactly one of `text` and file. */
export const JobForm = z.object({
  text: NoteText.optional(),
  title: Title.optional(),
  source_path: SourcePath.optional(),
  tags: Tags.default([]),
});
/** Inferred from {@linkcode JobForm}. */
export type JobForm = z.infer<typeof JobForm>;

/** Answer of `POST /api/v1/jobs` (202). The job is durable: its bytes and its row are on disk. */
export const JobAccepted = z.looseObject({ job_id: Id, status: z.string() });
/** Inferred from {@linkcode JobAccepted}. */
export type JobAccepted = z.infer<typeof JobAccepted>;

/** An ingestion job. */
export const Job = z.looseObject({
  job_id: Id,
  /** One of {@linkcode JOB_STATUSES}. */
  status: z.string(),
  /** What is being done: `queued`, `extracting`, `indexing`, `finished`. */
  stage: z.string().nullish(),
  /** Share done, 0 to 1. */
  progress: z.number().nullish(),
  title: z.string().nullish(),
  /** Name of the file, when the job came with one. */
  filename: z.string().nullish(),
  source_path: z.string().nullish(),
  tags: z.array(z.string()).nullish(),
  /** The document that was made, found or replaced, once `done`. */
  document_id: Id.nullish(),
  /** One of {@linkcode JOB_OUTCOMES}, once `done`. */
  outcome: z.string().nullish(),
  /** Why it failed, in words for the person or model that sent it. */
  error: z.string().nullish(),
  /** Why it failed, for programs: `unsupported_type`, `no_text`, `too_large`, `damaged`, `timeout`, `internal`. */
  error_code: z.string().nullish(),
  created_at: Timestamp.nullish(),
  started_at: Timestamp.nullish(),
  finished_at: Timestamp.nullish(),
});
/** Inferred from {@linkcode Job}. */
export type Job = z.infer<typeof Job>;

/** Query of `GET /api/v1/jobs`. */
export const JobsQuery = z.object({
  status: JobStatus.optional(),
  limit: z.coerce.number().int().positive().max(MAX_PAGE).default(20),
  cursor: Cursor.optional(),
});
/** What a caller of `GET /api/v1/jobs` may give. */
export type JobsQuery = z.input<typeof JobsQuery>;

/** Answer of `GET /api/v1/jobs`: newest first. */
export const JobPage = z.looseObject({
  jobs: z.array(Job),
  /** Jobs that match, on all pages. */
  total: z.int().nonnegative().nullish(),
  next_cursor: z.string().nullish(),
});
/** Inferred from {@linkcode JobPage}. */
export type JobPage = z.infer<typeof JobPage>;
