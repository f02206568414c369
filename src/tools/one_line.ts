import { visibleText } from "../text/visible_text.ts";

/** Longest name shown, in UTF-16 code units: the contract's longest title. */
const MAX_CHARS = 500;

/**
 * A name that others gave, on one line, without characters that cannot be seen.
 *
 * @param most Longest answer, in UTF-16 code units; default: the contract's longest title.
 *
 * @example
 * ```ts
 * import { oneLine } from "./one_line.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(oneLine("Report\u202e\n2026"), "Report 2026");
 * ```
 */
export function oneLine(name: string, most = MAX_CHARS): string {
  const line = visibleText(name.slice(0, 4 * most)).replace(/\s+/g, " ").trim();
  return (line.length > most ? `${line.slice(0, most - 1)}…` : line).toWellFormed();
}
