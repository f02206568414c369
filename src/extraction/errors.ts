/** Reasons why a file cannot become a document; `error_code` of a job in the contract. */
export const EXTRACTION_ERROR_CODES = [
  "unsupported_type",
  "no_text",
  /** There is text, but no map from its glyphs to characters. */
  "unreadable_text",
  "too_large",
  "damaged",
  /** A password is needed. */
  "encrypted",
  "timeout",
  /** The file of the job is gone, such as after a restore: a backup does not contain it. */
  "missing_file",
  "internal",
] as const;

/** See {@linkcode EXTRACTION_ERROR_CODES}. */
export type ExtractionErrorCode = typeof EXTRACTION_ERROR_CODES[number];

/**
 * A file that cannot become a document. The message is for its sender: it names the file and says what to do.
 */
export class ExtractionError extends Error {
  /** Always `ExtractionError`. */
  override name = "ExtractionError";
  /** See {@linkcode ExtractionErrorCode}. */
  readonly code: ExtractionErrorCode;

  /** The cause is for the log. */
  constructor(code: ExtractionErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/**
 * Returns a file name for error messages: no control characters, at most 120 characters, "the file" if empty.
 */
export function displayName(filename: string | undefined): string {
  // deno-lint-ignore no-control-regex -- removes control characters
  const name = (filename ?? "").replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]+/g, " ")
    .trim();
  if (name === "") return "the file";
  const chars = Array.from(name.slice(0, 400));
  return (chars.length > 120 ? `${chars.slice(0, 119).join("")}…` : name).toWellFormed();
}

/** A format that cannot be read. `looksLike` names it with its article: "a JPEG picture". */
export function unsupported(name: string, looksLike: string): ExtractionError {
  return new ExtractionError(
    "unsupported_type",
    `Cannot read ${name}: it looks like ${looksLike}. Convert it, such as to PDF or text, and upload the result. ` +
      SUPPORTED_FORMATS,
  );
}

/** By kind: a list of all formats is longer than callers show of a message, once for each such file of a folder. */
const SUPPORTED_FORMATS =
  "Supported are PDF, Office and OpenDocument files, e-books, web pages, Markdown and other text, tables, e-mail, " +
  "calendars, contacts, source code, and archives of these";

/** A broken or locked file. `problem` completes "Cannot read NAME: ". */
export function damaged(name: string, problem: string, cause?: unknown): ExtractionError {
  return new ExtractionError(
    "damaged",
    `Cannot read ${name}: ${problem}`,
    cause === undefined ? {} : { cause },
  );
}

/** A file that needs a password. */
export function encrypted(name: string, cause?: unknown): ExtractionError {
  return new ExtractionError(
    "encrypted",
    `Cannot read ${name}: it is password-protected. Remove the password and upload it again`,
    cause === undefined ? {} : { cause },
  );
}

/** A file without text. `reason` is quoted in parentheses. */
export function noText(name: string, reason: string, advice: string): ExtractionError {
  return new ExtractionError("no_text", `No text found in ${name} (${reason}): ${advice}`);
}

/** A document without text, in a format that can hold pictures. */
export function onlyPictures(name: string): ExtractionError {
  return noText(
    name,
    "it holds only pictures, or nothing at all",
    "run OCR on the pictures and upload the result",
  );
}

/** A file over one of the limits in `limits.ts`. `problem` completes "Cannot read NAME: ". */
export function tooLarge(name: string, problem: string): ExtractionError {
  return new ExtractionError(
    "too_large",
    `Cannot read ${name}: ${problem}. Split it into smaller files and upload those`,
  );
}
