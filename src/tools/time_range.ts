import { ToolError } from "./define.ts";

/** Bounds of a search, as a model typed them: each a date or a date-time that the contract accepts. */
export interface TimeRange {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/**
 * Refuses a range that nothing can be in; an engine would answer it with no results, which looks like "not known".
 *
 * The bounds are compared as the contract reads them: a date alone means its whole day in UTC, and a time without an
 * offset is UTC.
 *
 * @throws {ToolError} If `since` is later than `until`.
 *
 * @example
 * ```ts
 * import { checkTimeRange } from "./time_range.ts";
 * import { assertThrows } from "@std/assert";
 * checkTimeRange({ since: "2026-03-31", until: "2026-03-31" });
 * assertThrows(() => checkTimeRange({ since: "2026-04-01", until: "2026-03-31" }), Error, "not be later than until");
 * ```
 */
export function checkTimeRange({ since, until }: TimeRange): void {
  if (since === undefined || until === undefined) return;
  if (instant(since, "T00:00:00.000Z") <= instant(until, "T23:59:59.999Z")) return;
  throw new ToolError(
    `since must not be later than until, got since ${JSON.stringify(since)} and until ${
      JSON.stringify(until)
    }: ` +
      "swap them or leave one out.",
  );
}

/** Milliseconds since 1970. The input schema has seen to it that this is a time. */
function instant(text: string, timeOfDay: string): number {
  if (!text.includes("T")) return Date.parse(text + timeOfDay);
  return Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`);
}
