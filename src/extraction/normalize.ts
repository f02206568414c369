import { tooLarge } from "./failures.ts";
import { MAX_TEXT_CHARS } from "./limits.ts";
import { normalizeUnicode } from "../text/mod.ts";

/**
 * Text as it is stored: NFC, `\n` line ends, no byte order mark, and no control characters but tab and newline,
 * which neither a person, a model nor JSON has a use for.
 */
export function normalizeText(text: string): string {
  const clean = text
    .toWellFormed()
    .replace(/\r\n?|\f|\v|\u0085|\u2028|\u2029/g, "\n")
    // deno-lint-ignore no-control-regex -- control characters are what has to go
    .replace(/[\u0000-\u0008\u000e-\u001f\u007f-\u009f\ufeff]/g, "");
  return normalizeUnicode(clean, "NFC");
}

/** @throws {ExtractionError} `too_large` if there is more text than a document may have. */
export function checkLength(chars: number, name: string): void {
  if (chars > MAX_TEXT_CHARS) {
    throw tooLarge(name, `its text has more than ${MAX_TEXT_CHARS.toLocaleString("en")} characters`);
  }
}
