import { ExtractionError } from "./types.ts";

/** What a message calls a file: its name without control characters, cut; "the file" when it has none. */
export function displayName(filename: string | undefined): string {
  // deno-lint-ignore no-control-regex -- control characters are what has to go
  const name = (filename ?? "").replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]+/g, " ")
    .trim();
  if (name === "") return "the file";
  const chars = Array.from(name.slice(0, 400));
  return (chars.length > 120 ? `${chars.slice(0, 119).join("")}…` : name).toWellFormed();
}

/** The error for a file that is of no use here, with what would be. */
export function unsupported(name: string, looksLike: string): ExtractionError {
  return new ExtractionError(
    "unsupported_type",
    `Cannot read ${name}: it looks like ${looksLike}. Supported are PDF, Word (.docx), HTML, Markdown and plain text ` +
      "(also source code, CSV, JSON, XML and logs): convert it to one of these and upload the result",
  );
}

/** The error for a file that is broken, locked or not what it says. `problem` continues "Cannot read NAME: ". */
export function damaged(name: string, problem: string, cause?: unknown): ExtractionError {
  return new ExtractionError(
    "damaged",
    `Cannot read ${name}: ${problem}`,
    cause === undefined ? {} : { cause },
  );
}

/** The error for a file with nothing to search in. `reason` stands in brackets. */
export function noText(name: string, reason: string, advice: string): ExtractionError {
  return new ExtractionError("no_text", `No text found in ${name} (${reason}): ${advice}`);
}

/** The error for a file beyond one of limits.ts. `problem` continues "Cannot read NAME: ". */
export function tooLarge(name: string, problem: string): ExtractionError {
  return new ExtractionError(
    "too_large",
    `Cannot read ${name}: ${problem}. Split it into smaller files and upload those`,
  );
}
