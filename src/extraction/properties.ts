/**
 * Returns a date of a document's properties as ISO 8601 in UTC, without milliseconds; `undefined` if it is none.
 *
 * @example
 * ```ts
 * import { isoDate } from "./properties.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(isoDate("2024-05-01T10:00:00+02:00"), "2024-05-01T08:00:00Z");
 * assertEquals(isoDate("2024-05-01"), "2024-05-01");
 * ```
 */
export function isoDate(value: string | undefined): string | undefined {
  const text = value?.trim() ?? "";
  const found = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d)?)(?:[.,]\d+)?(Z|[+-]\d\d:?\d\d)?)?$/.exec(text);
  if (!found) return undefined;
  const [, day, time, zone = "Z"] = found;
  const date = new Date(time === undefined ? `${day}T00:00:00Z` : `${day}T${time}${zone}`);
  if (Number.isNaN(date.getTime()) || date.getUTCFullYear() < 1900) return undefined;
  return time === undefined ? day : date.toISOString().replace(/\.\d{3}Z$/, "Z");
}
