import { DateInput } from "../contract/mod.ts";

const DAY_MS = 86_400_000;
/** Milliseconds of the units of a relative time that have a fixed length. */
const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, d: DAY_MS, w: 7 * DAY_MS };
/** Months of the other units. Not `m`, which could be minutes. */
const MONTHS: Readonly<Record<string, number>> = { mo: 1, y: 12 };
const RELATIVE = /^(?:(?:last|past) )?(\d{1,4}) ?(h|d|w|mo|y)(?:(?:our|ay|eek|nth|ear)s?)?(?: ago)?$/;
const NAMES: ReadonlySet<string> = new Set(["now", "today", "yesterday"]);
/** A year, or a month of it. */
const PARTIAL_DATE = /^[12]\d{3}(?:-(?:0[1-9]|1[0-2]))?$/;
/** A date-time as SQL and Python print it. */
const SPACED = /^(\d{4}-\d\d-\d\d) (\d\d:)/;
/** The reference time of relative times, in seconds since 1970, at the end of a cursor. */
const REFERENCE = /~(\d{1,12})$/;

/** Whether a text is a date, a date-time, a month, a year, or a relative time such as `7d`, `2w` or `yesterday`. */
export function isTime(text: string): boolean {
  return DateInput.safeParse(toDateInput(text, "since")).success || isRelative(text);
}

/** A time range and a cursor, as a caller types them. */
export interface TimeRange {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly cursor?: string | undefined;
}

/** A time range with a cursor in the terms of the contract. */
export interface ResolvedRange extends TimeRange {
  /** Returns the cursor for the caller. */
  readonly nextCursor: (cursor: string) => string;
}

/**
 * Converts times to dates and date-times in UTC, months and years to their first or last day. The pages of a listing need
 * the same range, because their cursor is valid for one listing only: it also carries the time to which the first page was
 * relative.
 *
 * @param now Current time in milliseconds since 1970.
 *
 * @example
 * ```ts
 * import { resolveTimes } from "./relative_time.ts";
 * import { assertEquals } from "@std/assert";
 * const now = Date.UTC(2026, 2, 31, 9);
 * const { since, until, nextCursor } = resolveTimes({ since: "7d", until: "yesterday" }, now);
 * assertEquals([since, until], ["2026-03-24T09:00:00Z", "2026-03-30"]);
 * assertEquals(resolveTimes({ since: "7d", cursor: nextCursor("x") }, now + 5000).since, since);
 * ```
 */
export function resolveTimes({ cursor, ...range }: TimeRange, now: number): ResolvedRange {
  const since = range.since === undefined ? undefined : toDateInput(range.since, "since");
  const until = range.until === undefined ? undefined : toDateInput(range.until, "until");
  if (!isRelative(since) && !isRelative(until)) return { since, until, cursor, nextCursor: (next) => next };
  const reference = REFERENCE.exec(cursor ?? "")?.[1];
  const seconds = reference === undefined ? Math.floor(now / 1000) : Number(reference);
  return {
    since: since === undefined ? undefined : resolve(since, seconds * 1000),
    until: until === undefined ? undefined : resolve(until, seconds * 1000),
    cursor: cursor?.replace(REFERENCE, ""),
    nextCursor: (next) => `${next}~${seconds}`,
  };
}

/** Returns a time to the second, such as `2026-03-31T09:00:00Z`. */
export function toSeconds(time: number): string {
  return new Date(time).toISOString().replace(/\.\d+/, "");
}

function isRelative(text: string | undefined): boolean {
  const name = text?.trim().toLowerCase();
  return name !== undefined && (NAMES.has(name) || RELATIVE.test(name));
}

function resolve(text: string, now: number): string {
  const name = text.trim().toLowerCase();
  if (name === "now") return toSeconds(now);
  if (name === "today") return toSeconds(now).slice(0, 10);
  if (name === "yesterday") return toSeconds(now - DAY_MS).slice(0, 10);
  const [, count, unit = ""] = RELATIVE.exec(name) ?? [];
  if (count === undefined) return text;
  const months = MONTHS[unit];
  const time = months === undefined
    ? now - Number(count) * UNITS[unit]!
    : monthsBefore(now, Number(count) * months);
  // Nothing is older, and years before the first one are no dates.
  return toSeconds(Math.max(time, 0));
}

/** Returns the same day of an earlier month, or its last day. */
function monthsBefore(time: number, months: number): number {
  const date = new Date(time);
  const day = date.getUTCDate();
  date.setUTCMonth(date.getUTCMonth() - months, 1);
  date.setUTCDate(Math.min(day, lastDay(date.getUTCFullYear(), date.getUTCMonth() + 1)));
  return date.getTime();
}

/** Returns the last day of a month, from 1. */
function lastDay(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

/** Completes a month or year to a date, and puts the `T` into a date-time. Returns other texts as they are. */
function toDateInput(text: string, bound: "since" | "until"): string {
  const trimmed = text.trim();
  if (!PARTIAL_DATE.test(trimmed)) return text.replace(SPACED, "$1T$2");
  const [year = "", month = bound === "since" ? "01" : "12"] = trimmed.split("-");
  const day = bound === "since" ? "01" : String(lastDay(Number(year), Number(month)));
  return `${year}-${month}-${day}`;
}
