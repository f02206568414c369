import * as z from "zod";

/**
 * Error codes with their HTTP status. Programs branch on the code; the message is for people and may change.
 */
export const ERROR_STATUS = {
  invalid: 400,
  unauthorized: 401,
  /** The engine does not serve the request's `Host` or `Origin`. The API key is not at fault. */
  host_not_allowed: 403,
  /** The caller may not do this, such as adding a folder from another machine. */
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  timeout: 408,
  not_a_note: 409,
  /** Another document is at the `source_path`. */
  conflict: 409,
  /** The job ended too long ago to be listed. */
  expired: 410,
  /** The document's version is not the one in `If-Match` (RFC 9110 §13.1.1). Nothing was changed. */
  version_conflict: 412,
  too_large: 413,
  unsupported_media_type: 415,
  /** Too many requests with a wrong API key. A request with the right key succeeds. */
  too_many_attempts: 429,
  internal: 500,
  /** The stored data is damaged. Reads may still succeed. */
  storage_damaged: 500,
  queue_full: 503,
  /** Too many large requests at the same time. */
  busy: 503,
  shutting_down: 503,
  /** The engine accepts no writes: its disk or its database is read-only, or its writer has failed. Reads succeed. */
  read_only: 503,
  storage_full: 507,
} as const;
/** A code of {@linkcode ERROR_STATUS}. */
export type ErrorCode = keyof typeof ERROR_STATUS;

/** Body of every error response. */
export const ErrorBody = z.looseObject({
  error: z.looseObject({ code: z.string(), message: z.string(), details: z.unknown().optional() }),
});
/** Inferred from {@linkcode ErrorBody}. */
export type ErrorBody = z.infer<typeof ErrorBody>;
