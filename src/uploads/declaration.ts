import { UploadError } from "./errors.ts";
import { cleanFilename } from "./filename.ts";
import type { UploadRequest } from "./types.ts";

/**
 * Checks what a caller declares at the start of an upload. (Title, source path, tags and collection are checked by
 * their own rules before they come here.)
 *
 * @returns The same with a clean file name and a lower-case digest.
 * @throws {UploadError} `invalid` or `too_large`.
 */
export function checkDeclaration(request: UploadRequest, maxBytes: number): UploadRequest {
  const { totalSize, sha256, contentType } = request;
  if (totalSize === 0) {
    throw new UploadError(
      "invalid",
      "total_size must be at least 1 byte: an empty file has nothing to find.",
    );
  }
  if (!Number.isSafeInteger(totalSize) || totalSize < 0) {
    throw new UploadError("invalid", `total_size must be the file's size in bytes, got ${totalSize}.`);
  }
  if (totalSize > maxBytes) {
    throw new UploadError(
      "too_large",
      `total_size must be at most ${maxBytes} bytes, got ${totalSize}. Split the file, or ask the operator to raise ` +
        `KB_UPLOAD_MAX_BYTES.`,
    );
  }
  if (sha256 !== undefined && !/^[0-9a-f]{64}$/i.test(sha256)) {
    throw new UploadError(
      "invalid",
      `sha256 must be 64 hexadecimal digits, got ${sha256.length} characters. Leave it out if you cannot compute it.`,
    );
  }
  // A line break here would end the header that this value is written into.
  if (contentType !== undefined && !/^[\w.+-]{1,100}\/[\w.+-]{1,100}$/.test(contentType)) {
    throw new UploadError(
      "invalid",
      `content_type must be a media type such as application/pdf, got ${
        JSON.stringify(contentType.slice(0, 100))
      }.`,
    );
  }
  return { ...request, filename: cleanFilename(request.filename), sha256: sha256?.toLowerCase() };
}
