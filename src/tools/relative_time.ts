import { DateInput } from "../contract/mod.ts";

/** Milliseconds of the units of a relative time. */
const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };
const RELATIVE = /^(\d{1,4}) ?(h|d|w)(?:(?:our|ay|eek)s?)?(?: ago)?$/;
/** The reference time of relative times, in seconds since 1970, at the end of a cursor. */
const REFERENCE = /~(\d{1,12})$/;

/** Whether a text is a date, a date-time, or a relative time such as `7d`, `2w` or `yesterday`. */
export function isTime(text: string): boolean {
  return DateInput.safeParse(text).success || isRelative(text);
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
 * Converts relative times to dates and date-times in UTC. The pages of a listing need the same range, because their
 * cursor is valid for one listing only: it also carries the time to which the first page was relative.
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
export function resolveTimes({ since, until, cursor }: TimeRange, now: number): ResolvedRange {
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
  return name !== undefined && (name === "today" || name === "yesterday" || RELATIVE.test(name));
}

function resolve(text: string, now: number): string {
  const name = text.trim().toLowerCase();
  if (name === "today") return toSeconds(now).slice(0, 10);
  if (name === "yesterday") return toSeconds(now - UNITS["d"]!).slice(0, 10);
  const [, count, unit = ""] = RELATIVE.exec(name) ?? [];
  if (count === undefined) return text;
  return toSeconds(now - Number(count) * UNITS[unit]!);
}
