/** Weekday that starts each of the three formats of an HTTP date (RFC 9110 §5.6.7). */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/;

/**
 * Parses `Retry-After` (RFC 9110 §10.2.3), in seconds or as a date.
 *
 * @param now Time of the response in milliseconds since 1970.
 * @returns Delay in milliseconds, at least 0. Undefined without a valid header.
 *
 * @example
 * ```ts
 * import { retryAfterMs } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(retryAfterMs(new Headers({ "retry-after": "120" })), 120_000);
 * ```
 */
export function retryAfterMs(headers: Headers, now: number = Date.now()): number | undefined {
  const value = headers.get("retry-after")?.trim() ?? "";
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  if (!HTTP_DATE.test(value)) return undefined;
  // The format of asctime names no zone, and is in UTC like the others.
  const time = Date.parse(value.endsWith("GMT") ? value : `${value} GMT`);
  return Number.isNaN(time) ? undefined : Math.max(0, time - now);
}
