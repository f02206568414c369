import { UploadError } from "./errors.ts";
import { formatIdleTime } from "./not_found.ts";
import type { UploadsOptions } from "./types.ts";
import type { Upload } from "./upload.ts";

/**
 * Refuses a new upload for which there is no room.
 *
 * @param own The caller's uploads in progress.
 * @param reserved Declared bytes of all uploads of all callers.
 */
export function assertRoom(
  totalSize: number,
  own: readonly Upload[],
  reserved: number,
  { maxPerCaller, maxStagedBytes, idleMs }: UploadsOptions,
): void {
  const wait = `an idle one is removed after ${formatIdleTime(idleMs)}`;
  if (own.length >= maxPerCaller) {
    const listed = own.slice(0, 5).map(({ id, request }) => `${id} (${request.filename})`).join(", ");
    throw new UploadError(
      "too_many",
      `At most ${maxPerCaller} uploads may be in progress per token (KB_UPLOAD_MAX_PER_TOKEN), and ${own.length} are: ` +
        `${listed}${
          own.length > 5 ? ", …" : ""
        }. Finish one of them with kb_upload_finish, or wait: ${wait}.`,
    );
  }
  if (totalSize > maxStagedBytes) {
    throw new UploadError(
      "too_large",
      `total_size must be at most ${maxStagedBytes} bytes, all that may be staged at once, got ${totalSize}. Split the ` +
        `file, or ask the operator to raise KB_UPLOAD_MAX_STAGED.`,
    );
  }
  if (reserved + totalSize > maxStagedBytes) {
    throw new UploadError(
      "too_many",
      `All uploads together may stage ${maxStagedBytes} bytes (KB_UPLOAD_MAX_STAGED) and ${reserved} are taken, so ` +
        `${totalSize} more do not fit now. Finish an upload, or try again later: ${wait}.`,
    );
  }
}

/**
 * The upload that has to go for one more to fit: of those that nothing ever came for, the one that has waited longest.
 *
 * @param own The caller's uploads in progress.
 * @returns Undefined when there is room, or none that could go.
 */
export function untouchedOver<Entry extends { readonly upload: Upload; touchedAt: number }>(
  maxPerCaller: number,
  own: readonly Entry[],
): Entry | undefined {
  if (own.length < maxPerCaller) return undefined;
  return own.filter(({ upload }) => upload.isUntouched).sort((a, b) => a.touchedAt - b.touchedAt)[0];
}
