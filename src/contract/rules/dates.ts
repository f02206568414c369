/**
 * Converts a date or date-time as a caller types it (`DateInput`) to a bound in milliseconds since 1970: the first millisecond of a date for
 * `since`, the last one for `until`. A date-time without an offset is UTC.
 *
 * @returns NaN for a text that is not a `DateInput`.
 */
export function dateInputTime(text: string, bound: "since" | "until"): number {
  if (!text.includes("T")) {
    return Date.parse(text + (bound === "since" ? "T00:00:00.000Z" : "T23:59:59.999Z"));
  }
  return Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`);
}
