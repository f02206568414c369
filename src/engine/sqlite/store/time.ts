import { dateInputTime } from "../../../contract/mod.ts";

/** Returns a time in the format of stored times: ISO 8601 in UTC with milliseconds, which sorts as text. */
export function timestamp(date = new Date()): string {
  return date.toISOString();
}

/** Returns the first instant of a contract `DateInput` in the format of stored times. */
export function sinceTime(input: string): string {
  // An offset can move a time out of the years 0 to 9999, outside of which times do not sort as text.
  const time = Math.min(Math.max(dateInputTime(input, "since"), FIRST_TIME), LAST_TIME);
  return new Date(time).toISOString();
}

const FIRST_TIME = Date.parse("0000-01-01T00:00:00.000Z");
const LAST_TIME = Date.parse("9999-12-31T23:59:59.999Z");
