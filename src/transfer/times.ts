/** First and last times that a document can have. */
const RANGE = [Date.parse("0001-01-01T00:00:00Z"), Date.parse("9999-12-31T23:59:59.999Z")] as const;

/**
 * Converts a time of another program to RFC 3339 in UTC: seconds since 1970, a date, or a date-time, which is UTC
 * without an offset. SQLite and Python separate date and time by a space.
 *
 * @returns Undefined for anything else.
 *
 * @example
 * ```ts
 * import { toTime } from "./times.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(toTime(1711868400.5), "2024-03-31T07:00:00.500Z");
 * assertEquals(toTime("2024-03-31 09:00:00.123456+02:00"), "2024-03-31T07:00:00.123Z");
 * assertEquals(toTime("2024-03-31"), "2024-03-31T00:00:00.000Z");
 * assertEquals(toTime("soon"), undefined);
 * ```
 */
export function toTime(value: unknown): string | undefined {
  const ms = typeof value === "number" ? value * 1000 : typeof value === "string" ? parse(value) : NaN;
  const isValid = ms >= RANGE[0] && ms <= RANGE[1] && ms !== 0;
  return isValid ? new Date(ms).toISOString() : undefined;
}

function parse(text: string): number {
  const found = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)\s*(Z|[+-]\d\d:?\d\d)?)?$/i.exec(
    text.trim(),
  );
  if (!found) return NaN;
  const [, date, time = "00:00:00", offset = "Z"] = found;
  // Date.parse accepts milliseconds, but not the microseconds of Python, everywhere.
  return Date.parse(`${date}T${time.replace(/(\.\d{3})\d+$/, "$1")}${offset}`);
}
