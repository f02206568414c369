import { UploadError } from "./errors.ts";

const MAX_BYTES = 255; // NAME_MAX of Linux and macOS file systems

/**
 * The name of a file out of what a caller gave: the last segment of a path in either style.
 *
 * The name never becomes a path of ours (staged files are numbered), but it goes into a multipart header and into
 * the engine's store.
 *
 * @throws {UploadError} `invalid`, when nothing usable is left.
 */
export function cleanFilename(given: string): string {
  const name = given.toWellFormed().slice(Math.max(given.lastIndexOf("/"), given.lastIndexOf("\\")) + 1)
    .trim();
  if (name === "" || name === "." || name === "..") {
    throw new UploadError(
      "invalid",
      `filename must end in a file's name such as report.pdf, got ${JSON.stringify(given.slice(0, 100))}.`,
    );
  }
  if (/[\p{Cc}\u2028\u2029]/u.test(name)) {
    throw new UploadError(
      "invalid",
      `filename must have no control characters, got ${
        JSON.stringify(name.slice(0, 100))
      }: send it without them.`,
    );
  }
  const size = new TextEncoder().encode(name).length;
  if (size > MAX_BYTES) {
    throw new UploadError(
      "invalid",
      `filename must be at most ${MAX_BYTES} bytes of UTF-8, got ${size}: give a shorter name with the same extension.`,
    );
  }
  return name;
}
