import { UploadError } from "./errors.ts";

/** One answer for every id that is not the caller's, so that nobody learns which ids exist. */
export function uploadNotFound(uploadId: string, idleMs: number): UploadError {
  return new UploadError(
    "not_found",
    `Upload ${
      JSON.stringify(uploadId.slice(0, 64))
    } was not found: it never existed, has ended, or expired after ` +
      `${
        formatIdleTime(idleMs)
      } without a chunk. If it was finished, kb_jobs has its job, else begin again with kb_upload_start.`,
  );
}

/** One answer for every capability that opens nothing. */
export function linkNotValid(idleMs: number): UploadError {
  return new UploadError(
    "not_found",
    `This upload link is not valid: it never was, all its bytes have arrived, or its upload has ended or expired ` +
      `after ${
        formatIdleTime(idleMs)
      } without a byte. If all bytes have arrived, go on with kb_upload_finish, else ` +
      `begin again with kb_upload_start.`,
  );
}

/** One answer for whatever is under way when the server stops. */
export function serverStopping(): UploadError {
  return new UploadError(
    "stopping",
    "The server is stopping: begin again with kb_upload_start once it is back.",
  );
}

/** `KB_UPLOAD_IDLE` in words. */
export function formatIdleTime(idleMs: number): string {
  return idleMs % 60_000 === 0
    ? `${idleMs / 60_000} minute${idleMs === 60_000 ? "" : "s"}`
    : `${idleMs / 1000} seconds`;
}
