import { displayName, ExtractionError, tooLarge } from "./errors.ts";
import type { ContainedFile, ExtractionContext } from "./types.ts";

/** Returns a context whose `onFile` enforces its limits. */
export function limitFiles(context: ExtractionContext): ExtractionContext {
  const { fileLimits, name } = context;
  if (!fileLimits) return context;
  let files = 0;
  let totalBytes = 0;
  const onFile = async (file: ContainedFile) => {
    const sizeBytes = file.bytes?.byteLength ?? 0;
    if (++files > fileLimits.maxFiles) throw tooManyFiles(name, fileLimits.maxFiles);
    if (sizeBytes > fileLimits.maxFileBytes) {
      return await context.onFile(withoutBytes(file, fileTooLarge(file.path, fileLimits.maxFileBytes)));
    }
    totalBytes += sizeBytes;
    if (totalBytes > fileLimits.maxTotalBytes) throw tooManyBytes(name, fileLimits.maxTotalBytes);
    await context.onFile(file);
  };
  return { ...context, onFile };
}

/** A container with more than `maxFiles` files. */
export function tooManyFiles(name: string, maxFiles: number): ExtractionError {
  return tooLarge(name, `it holds more than ${maxFiles.toLocaleString("en")} files`);
}

/** A container that unpacks to more than `maxBytes`. */
export function tooManyBytes(name: string, maxBytes: number): ExtractionError {
  return tooLarge(name, `it unpacks to more than ${formatMebibytes(maxBytes)}`);
}

/** A contained file of more than `maxBytes`. */
export function fileTooLarge(path: string, maxBytes: number): ExtractionError {
  return new ExtractionError(
    "too_large",
    `Cannot read ${displayPath(path)}: it has more than ${
      formatMebibytes(maxBytes)
    }. Raise KB_MAX_FILE_BYTES`,
  );
}

/** Returns a contained file that fails with an error. */
export function withoutBytes(
  { path, contentType }: Pick<ContainedFile, "path" | "contentType">,
  error: ExtractionError,
): ContainedFile {
  return { path, error, ...(contentType !== undefined && { contentType }) };
}

/** Returns the last segment of a path for error messages. */
export function displayPath(path: string): string {
  return displayName(path.split(/[/\\]/).findLast((segment) => segment !== ""));
}

function formatMebibytes(bytes: number): string {
  const mebibytes = bytes / 2 ** 20;
  return mebibytes >= 1 ? `${Math.floor(mebibytes).toLocaleString("en")} MiB` : `${bytes} bytes`;
}
