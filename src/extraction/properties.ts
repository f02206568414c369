/**
 * Returns a time as ISO 8601 in UTC, without milliseconds, so that dates of all formats compare as text; `undefined` for
 * an invalid one, or one of a year in which no document was written.
 */
export function isoTime(time: Date): string | undefined {
  const year = time.getUTCFullYear();
  return year >= 1900 && year <= 2200 ? time.toISOString().replace(/\.\d{3}Z$/, "Z") : undefined;
}

/**
 * Returns a date of a document's properties like {@linkcode isoTime}, or as the day, month or year that it has;
 * `undefined` for other text.
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
  const found = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?:[.,]\d+)?(Z|[+-]\d\d:?\d\d)?)?$/.exec(text);
  if (!found) return /^(?:19|20|21)\d\d(?:-(?:0[1-9]|1[0-2]))?$/.test(text) ? text : undefined;
  const [, day, time, zone = "Z"] = found;
  const date = isoTime(new Date(time === undefined ? `${day}T00:00:00Z` : `${day}T${time}${zone}`));
  return time === undefined ? date && day : date;
}

/** Returns a date of an e-mail, feed or web page (RFC 5322, or ISO 8601) like {@linkcode isoDate}. */
export function internetDate(value: string | undefined): string | undefined {
  const text = value?.trim() ?? "";
  // `Date` reads a year into almost any text with a number, and 05/06/2024 as May, whatever the country.
  const isClear = /\d{4}/.test(text) && !/^\d{1,2}[./-]\d{1,2}[./-]/.test(text);
  return isoDate(text) ?? (isClear ? isoTime(new Date(text)) : undefined);
}

/** Returns the fields that have a value. */
export function definedFields<Value>(
  fields: Readonly<Record<string, Value | undefined>>,
): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, Value] => entry[1] !== undefined),
  );
}
