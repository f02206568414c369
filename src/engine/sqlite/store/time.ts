/** The time as the store writes it: ISO 8601 in UTC with milliseconds, so that text order is time order. */
export function timestamp(date = new Date()): string {
  return date.toISOString();
}

/**
 * The first instant that a caller's date or date-time means, as the store writes times. A date is its whole day in
 * UTC; a date-time without an offset is in UTC.
 *
 * @param input A contract `DateInput`, so RFC 3339 already.
 */
export function sinceTime(input: string): string {
  const isDate = !input.includes("T");
  const hasOffset = isDate || /(?:Z|[+-]\d\d:?\d\d)$/i.test(input);
  const time = new Date(hasOffset ? input : `${input}Z`).getTime();
  // An offset can carry the first or last day out of the years 0 to 9999, whose text is no longer in order.
  return new Date(Math.min(Math.max(time, FIRST), LAST)).toISOString();
}

const FIRST = Date.parse("0000-01-01T00:00:00.000Z");
const LAST = Date.parse("9999-12-31T23:59:59.999Z");
