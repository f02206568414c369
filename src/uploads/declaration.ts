import { quoteText } from "../text/mod.ts";
import { UploadError } from "./errors.ts";

/** A file as declared at the start of its upload. */
export interface UploadDeclaration {
  /** File name; only the last segment of a path is used. At most 255 bytes of UTF-8. */
  filename: string;
  /** File size in bytes, at least 1. */
  totalSize: number;
  /** SHA-256 of the file in hexadecimal, in any case; verified before the file is sent to the engine. */
  sha256?: string | undefined;
  /** Media type, passed on to the engine. */
  contentType?: string | undefined;
  /** Title of the document, passed on. */
  title?: string | undefined;
  /** Path or URL of the original, passed on. */
  sourcePath?: string | undefined;
  /** The caller's validated tags (see `collections`), passed on. */
  tags: readonly string[];
  /** Validated name of the document's collection, passed on. */
  collection: string;
  /** Whether the collection is only a default, passed on. @default {false} */
  keepCollection?: boolean | undefined;
  /** Whether to replace any document at `sourcePath`, passed on. @default {false} */
  overwrite?: boolean | undefined;
}

const MAX_FILENAME_BYTES = 255; // NAME_MAX of Linux and macOS file systems

/**
 * Validates a declaration. (The callers validate title, source path, tags and collection.)
 *
 * @returns The declaration with a clean file name and a lower-case digest.
 * @throws {UploadError} `invalid` or `too_large`.
 */
export function checkDeclaration(declaration: UploadDeclaration, maxBytes: number): UploadDeclaration {
  const { filename, totalSize, sha256, contentType } = declaration;
  checkSize(totalSize, maxBytes);
  if (sha256 !== undefined && !/^[0-9a-f]{64}$/i.test(sha256)) {
    throw new UploadError(
      "invalid",
      `sha256 must be 64 hexadecimal digits, got ${sha256.length} characters. Omit it if you cannot compute it.`,
    );
  }
  // A line break would end the multipart header that the value is written into.
  if (contentType !== undefined && !/^[\w.+-]{1,100}\/[\w.+-]{1,100}$/.test(contentType)) {
    throw new UploadError(
      "invalid",
      `content_type must be a media type such as application/pdf, got ${quoteText(contentType)}.`,
    );
  }
  return { ...declaration, filename: cleanFilename(filename), sha256: sha256?.toLowerCase() };
}

function checkSize(totalSize: number, maxBytes: number): void {
  if (totalSize === 0) {
    throw new UploadError(
      "invalid",
      "total_size must be at least 1 byte: an empty file has no text to find.",
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
}

/**
 * Returns the last segment of a path in either style.
 *
 * The name never becomes a path of ours (staged files are numbered), but it is written into a multipart
 * header and into the engine's store.
 */
function cleanFilename(path: string): string {
  const lastSlash = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"));
  const name = path.toWellFormed().slice(lastSlash + 1).trim();
  if (name === "" || name === "." || name === "..") {
    throw new UploadError(
      "invalid",
      `filename must end in a file's name such as report.pdf, got ${quoteText(path)}.`,
    );
  }
  if (/[\p{Cc}\u2028\u2029]/u.test(name)) {
    throw new UploadError("invalid", `filename must not contain control characters, got ${quoteText(name)}.`);
  }
  const size = new TextEncoder().encode(name).length;
  if (size > MAX_FILENAME_BYTES) {
    throw new UploadError(
      "invalid",
      `filename must be at most ${MAX_FILENAME_BYTES} bytes of UTF-8, got ${size}: shorten it and keep the extension.`,
    );
  }
  return name;
}
