import { quoteText } from "../text/mod.ts";

/** Reason for a failed upload. Callers branch on this code, never on the message. */
export type UploadErrorCode =
  /** No such upload: the id is unknown or another caller's, or the upload was finished or has expired. */
  | "not_found"
  /** The input cannot be used: malformed base64, an unusable file name, an empty chunk. */
  | "invalid"
  /** More bytes than declared, or than one upload may have. */
  | "too_large"
  /** The quota of uploads or of staged bytes is used up: try again later. */
  | "too_many"
  /** Another operation on the upload is running: try again. */
  | "busy"
  /** The server is shutting down and drops all uploads. */
  | "stopping"
  /** Finished too early, or the body of a `PUT` broke off: bytes are missing. */
  | "incomplete"
  /** All bytes have arrived, but their SHA-256 differs from the declared one. */
  | "mismatch"
  /** The disk of the staging directory is full. */
  | "storage_full"
  /** The operation does not match what has been received: a wrong offset, or chunks mixed with raw bytes. */
  | "conflict";

/**
 * A failed upload operation. The message is written for the model or person that caused it; `cause` is
 * private.
 */
export class UploadError extends Error {
  /** Always `UploadError`. */
  override name = "UploadError";
  /** See {@linkcode UploadErrorCode}. */
  readonly code: UploadErrorCode;
  /** Byte offset from which a raw `PUT` has to resume, if it can. */
  readonly resumeFrom: number | undefined;

  /** @param message What is wrong and what to do next, without private details. */
  constructor(
    code: UploadErrorCode,
    message: string,
    options: { cause?: unknown; resumeFrom?: number | undefined } = {},
  ) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.resumeFrom = options.resumeFrom;
  }
}

/** Returns the same error for an unknown id and for another caller's, so that ids cannot be probed. */
export function uploadNotFound(uploadId: string, idleMs: number): UploadError {
  return new UploadError(
    "not_found",
    `Upload ${quoteText(uploadId)} was not found: it never existed, was finished, or expired after ` +
      `${
        formatDuration(idleMs)
      } without a chunk. If it was finished, kb_jobs lists its job; otherwise start again ` +
      `with kb_upload_start.`,
  );
}

/** Returns the same error for every invalid capability, regardless of the reason. */
export function uploadUrlNotValid(idleMs: number): UploadError {
  return new UploadError(
    "not_found",
    `This upload_url is not valid: it never existed, all its bytes have arrived, or its upload was finished or expired ` +
      `after ${
        formatDuration(idleMs)
      } without a byte. If all bytes have arrived, call kb_upload_finish; otherwise ` +
      `start again with kb_upload_start.`,
  );
}

/** Returns the error of every operation that the shutdown of the server interrupts or rejects. */
export function serverStopping(): UploadError {
  return new UploadError(
    "stopping",
    "The server is shutting down: start again with kb_upload_start once it is back.",
  );
}

/** Formats whole minutes as minutes, and other durations as seconds. */
export function formatDuration(ms: number): string {
  return ms % 60_000 === 0 ? `${ms / 60_000} minute${ms === 60_000 ? "" : "s"}` : `${ms / 1000} seconds`;
}
