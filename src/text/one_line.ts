import { visibleText } from "./visible_text.ts";

/** Default maximum length in UTF-16 code units: the contract's maximum length of a title. */
const MAX_LENGTH = 500;

/**
 * Puts a name from an untrusted source on one line, without invisible characters.
 *
 * @param maxLength Maximum length of the result in UTF-16 code units.
 *
 * @example
 * ```ts
 * import { oneLine } from "./one_line.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(oneLine("Report\u202e\n2026"), "Report 2026");
 * ```
 */
export function oneLine(name: string, maxLength = MAX_LENGTH): string {
  // Truncated first to bound the work. The factor leaves characters for those that are removed.
  const line = visibleText(name.slice(0, 4 * maxLength)).replace(/\s+/g, " ").trim();
  return (line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line).toWellFormed();
}
