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

/** A doubt about the text of a stored file or page, or a link that is left out. */
export interface Warning {
  /** Path of a file, or URL of a page. */
  readonly path: string;
  readonly warning: string;
}

/** Returns the line about a warning, for people. */
export function describeWarning({ path, warning }: Warning): string {
  return `  ${oneLine(path, MAX_PATH_CHARS)}: ${oneLine(warning, MAX_PATH_CHARS)}`;
}

/** Returns the line about a failure, for people. */
export function describeFailure({ path, code, error }: Failure): string {
  return `  ${oneLine(path, MAX_PATH_CHARS)}: ${oneLine(error)} (${oneLine(code)})`;
}
