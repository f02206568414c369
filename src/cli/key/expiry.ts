import { ConfigError } from "../../config/mod.ts";

const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Last year of an expiry. */
const MAX_YEAR = 9999;

/**
 * Parses the value of `--expires`: a date or time in UTC from which a key is refused, a duration from now, or `never`.
 *
 * @param now Milliseconds since 1970.
 * @returns The time, or undefined for `never`.
 * @throws {ConfigError} If it has another form, or has passed.
 *
 * @example
 * ```ts
 * import { expiryOption } from "./expiry.ts";
 * import { assertEquals } from "@std/assert";
 * const now = Date.parse("2026-03-01T12:00:00Z");
 * assertEquals(expiryOption("30d", now), "2026-03-31T12:00:00.000Z");
 * assertEquals(expiryOption("2027-01-01", now), "2027-01-01T00:00:00.000Z");
 * ```
 */
export function expiryOption(text: string, now: number): string | undefined {
  if (text === "never") return undefined;
  const time = parse(text, now);
  if (time === undefined || new Date(time).getUTCFullYear() > MAX_YEAR) {
    throw new ConfigError(
      "--expires must be a date such as 2027-01-31, a time such as 2027-01-31T09:00:00Z, a duration such as 12h, 90d or " +
        `52w, or never, got ${JSON.stringify(text)}`,
    );
  }
  if (time > now) return new Date(time).toISOString();
  throw new ConfigError(`--expires must be in the future, got ${JSON.stringify(text)}`);
}

function parse(text: string, now: number): number | undefined {
  const [, count, unit = ""] = /^(\d{1,5})([hdw])$/.exec(text) ?? [];
  if (count !== undefined) return now + Number(count) * UNITS[unit]!;
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)(?:T\d\d:\d\d(?::\d\d)?Z)?$/.exec(text) ?? [];
  const time = year === undefined ? NaN : Date.parse(text);
  if (Number.isNaN(time)) return undefined;
  // `Date` takes 2027-02-30 for the 2nd of March.
  const exists = new Date(time).toISOString().startsWith(`${year}-${month}-${day}`);
  return exists ? time : undefined;
}
