import { KnowledgeBaseError } from "../knowledge_base/mod.ts";

/** Texts before and after every time that the store writes. */
const EVER: readonly [string, string] = ["", "~"];

/**
 * Turns what a caller typed into bounds for the store's times, which are ISO 8601 in UTC with milliseconds and compare as
 * text. A date alone is its whole day in UTC; a time without an offset is UTC.
 *
 * @returns First and last time, both included; undefined: no bounds.
 * @throws {KnowledgeBaseError} `invalid` for what is no time.
 */
export function timeRange(
  since: string | undefined,
  until: string | undefined,
): [first: string, last: string] | undefined {
  if (since === undefined && until === undefined) return undefined;
  return [
    since === undefined ? EVER[0] : instant("since", since, "T00:00:00.000Z"),
    until === undefined ? EVER[1] : instant("until", until, "T23:59:59.999Z"),
  ];
}

function instant(name: string, text: string, timeOfDay: string): string {
  const full = !text.includes("T")
    ? text + timeOfDay
    : /(?:Z|[+-]\d\d:?\d\d)$/i.test(text)
    ? text
    : text + "Z";
  const time = new Date(full);
  if (Number.isNaN(time.getTime()) || time.getUTCFullYear() < 0 || time.getUTCFullYear() > 9999) {
    throw new KnowledgeBaseError(
      "invalid",
      `${name} must be a date such as 2026-03-31 or a time such as 2026-03-31T09:00:00Z, got ${
        JSON.stringify(text.slice(0, 60))
      }`,
    );
  }
  return time.toISOString();
}
