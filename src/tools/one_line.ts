/** Longest name shown, in UTF-16 code units: the contract's longest title. */
const MAX_CHARS = 500;
/**
 * Controls, what sets the reading direction (Unicode UAX #9) or ends a line, and what is not seen at all: soft hyphens,
 * zero-width spaces and the tag characters, in which whole sentences can be hidden. Joiners stay: scripts need them.
 */
const UNSHOWN =
  /[\p{Cc}\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]+/gu;
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
  const line = name.slice(0, 4 * most).replace(UNSHOWN, " ").replace(/\s+/g, " ").trim();
  return (line.length > most ? `${line.slice(0, most - 1)}…` : line).toWellFormed();
}
