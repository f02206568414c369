import { quoteText } from "../text/mod.ts";
import { formatDuration, UploadError } from "./errors.ts";

/** Limits on new uploads. */
export interface QuotaLimits {
  /** Uploads in progress per caller (`KB_UPLOAD_MAX_PER_TOKEN`). */
  maxPerCaller: number;
  /** Declared bytes of all uploads together (`KB_UPLOAD_MAX_STAGED`). */
  maxStagedBytes: number;
  /** Time after which an idle upload expires, in milliseconds; named in errors (`KB_UPLOAD_IDLE`). */
  idleMs: number;
}

/** An upload in progress of the caller. */
export interface OwnUpload {
  readonly id: string;
  readonly filename: string;
  /** Time until it expires unless it receives bytes, in milliseconds. */
  readonly remainingMs: number;
}

/** Maximum number of uploads that an error lists. */
const MAX_LISTED = 5;

/**
 * Reserves disk space for uploads. An upload reserves its declared size at its start, so that uploads in
 * progress cannot fill the disk together.
 */
export class Quota {
  readonly #limits: QuotaLimits;
  #reservedBytes = 0;

  constructor(limits: QuotaLimits) {
    this.#limits = limits;
  }

  /**
   * Reserves the declared size of an upload.
   *
   * @param own The caller's uploads in progress. None of them makes way for a new one: its URL was announced to be
   * valid until it expires, and another client with the same token may be about to use it.
   * @throws {UploadError} `too_many` or `too_large`.
   */
  reserve(bytes: number, own: readonly OwnUpload[]): void {
    const { maxPerCaller, maxStagedBytes, idleMs } = this.#limits;
    const expiry = `idle uploads expire after ${formatDuration(idleMs)}`;
    if (own.length >= maxPerCaller) {
      const listed = own.slice(0, MAX_LISTED).map(({ id, filename }) => `${id} (${quoteText(filename)})`)
        .join(", ");
      throw new UploadError(
        "too_many",
        `At most ${maxPerCaller} uploads may be in progress per token (KB_UPLOAD_MAX_PER_TOKEN), and ${own.length} ` +
          `are: ${listed}${
            own.length > MAX_LISTED ? ", …" : ""
          }. Finish one of them with kb_upload_finish, or try again in ` +
          `${
            formatSeconds(Math.min(...own.map(({ remainingMs }) => remainingMs)))
          }, when the first one expires ` +
          `unless it receives bytes.`,
      );
    }
    if (bytes > maxStagedBytes) {
      throw new UploadError(
        "too_large",
        `total_size must be at most ${maxStagedBytes} bytes, the limit for all uploads together, got ${bytes}. Split ` +
          `the file, or ask the operator to raise KB_UPLOAD_MAX_STAGED.`,
      );
    }
    if (this.#reservedBytes + bytes > maxStagedBytes) {
      throw new UploadError(
        "too_many",
        `All uploads together may stage ${maxStagedBytes} bytes (KB_UPLOAD_MAX_STAGED), ${this.#reservedBytes} are ` +
          `reserved, so ${bytes} more do not fit now. Finish an upload, or try again later: ${expiry}.`,
      );
    }
    this.#reservedBytes += bytes;
  }

  /** Releases a reservation. */
  release(bytes: number): void {
    this.#reservedBytes -= bytes;
  }
}

/** Rounds up, so that the upload has expired by then. */
function formatSeconds(ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / 1000));
  return seconds === 1 ? "1 second" : `${seconds} seconds`;
}
