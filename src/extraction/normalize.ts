import { normalizeUnicode } from "../text/mod.ts";
import { type ExtractionError, tooLarge } from "./errors.ts";
import { MAX_TEXT_CHARS } from "./limits.ts";
import type { ExtractionContext } from "./types.ts";

/**
 * Normalizes text for storage: NFC, `\n` line ends, no byte order mark, no control characters except tab and
 * newline.
 */
export function normalizeText(text: string): string {
  const clean = text
    .toWellFormed()
    .replace(/\r\n?|\f|\v|\u0085|\u2028|\u2029/g, "\n")
    // deno-lint-ignore no-control-regex -- removes control characters
    .replace(/[\u0000-\u0008\u000e-\u001f\u007f-\u009f\ufeff]/g, "");
  return normalizeUnicode(clean, "NFC");
}

/** @throws {ExtractionError} `too_large` if a text is longer than a document may be. */
export function checkLength(
  chars: number,
  { name, maxTextChars }: Pick<ExtractionContext, "name" | "maxTextChars">,
): void {
  if (chars > maxTextChars) throw tooLongText(name, maxTextChars);
}

/** A text that is longer than a document may be. */
export function tooLongText(name: string, maxTextChars = MAX_TEXT_CHARS): ExtractionError {
  return tooLarge(name, `its text has more than ${maxTextChars.toLocaleString("en")} characters`);
}
