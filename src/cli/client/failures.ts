import { oneLine } from "../../text/mod.ts";

/** A file or page that is not stored, with the reason. */
export interface Failure {
  /** Path of a file, or URL of a page. */
  readonly path: string;
  readonly code: string;
  readonly error: string;
}

/** Maximum length of a path or URL in a message, in UTF-16 code units. */
const MAX_PATH_CHARS = 2_000;

/** Returns the line about a failure, for people. */
export function describeFailure({ path, code, error }: Failure): string {
  return `  ${oneLine(path, MAX_PATH_CHARS)}: ${oneLine(error)} (${oneLine(code)})`;
}
