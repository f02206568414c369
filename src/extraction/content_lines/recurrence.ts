const UNITS: Readonly<Record<string, string>> = {
  DAILY: "day",
  WEEKLY: "week",
  MONTHLY: "month",
  YEARLY: "year",
};
const DAYS: Readonly<Record<string, string>> = {
  MO: "Monday",
  TU: "Tuesday",
  WE: "Wednesday",
  TH: "Thursday",
  FR: "Friday",
  SA: "Saturday",
  SU: "Sunday",
};
const ORDINALS: Readonly<Record<string, string>> = {
  "1": "first ",
  "2": "second ",
  "3": "third ",
  "4": "fourth ",
  "5": "fifth ",
  "-1": "last ",
};
const KNOWN = new Set(["FREQ", "INTERVAL", "BYDAY", "BYMONTHDAY", "UNTIL", "COUNT", "WKST"]);

/**
 * Returns a recurrence rule (RFC 5545 §3.3.10) in words if it is simple; others as they are.
 *
 * @param time Formats a time.
 *
 * @example
 * ```ts
 * import { recurrenceWords } from "./recurrence.ts";
 * import { assertEquals } from "@std/assert";
 * const words = (rule: string) => recurrenceWords(rule, (time) => time);
 * assertEquals(words("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE;COUNT=5"), "every 2 weeks on Monday and Wednesday, 5 times");
 * assertEquals(words("FREQ=MONTHLY;BYDAY=-1FR;UNTIL=2026"), "every month on the last Friday, until 2026");
 * assertEquals(words("FREQ=YEARLY;BYWEEKNO=20"), "FREQ=YEARLY;BYWEEKNO=20");
 * ```
 */
export function recurrenceWords(rule: string, time: (value: string) => string): string {
  const parts = new Map(
    rule.toUpperCase().split(";").slice(0, 20).map((part): [string, string] => {
      const [name = "", value = ""] = part.split("=", 2);
      return [name.trim(), value.trim()];
    }),
  );
  const freq = parts.get("FREQ") ?? "";
  const unit = Object.hasOwn(UNITS, freq) ? UNITS[freq] : undefined;
  const interval = Number(parts.get("INTERVAL") ?? 1);
  const days = (parts.get("BYDAY") ?? "").split(",").filter((day) => day !== "").map(dayWords);
  const monthDay = parts.get("BYMONTHDAY");
  const isSimple = unit !== undefined && Number.isInteger(interval) && interval > 0 &&
    [...parts.keys()].every((name) => KNOWN.has(name)) && !days.includes(undefined) &&
    (monthDay === undefined || (/^\d{1,2}$/.test(monthDay) && days.length === 0 && freq === "MONTHLY"));
  if (!isSimple) return rule;
  const count = parts.get("COUNT");
  const until = parts.get("UNTIL");
  return [
    `every ${interval === 1 ? unit : `${interval} ${unit}s`}`,
    days.length === 0 ? "" : ` on ${listed(days as string[])}`,
    monthDay === undefined ? "" : ` on day ${monthDay}`,
    count === undefined ? "" : `, ${count} times`,
    until === undefined ? "" : `, until ${time(until)}`,
  ].join("");
}

function dayWords(day: string): string | undefined {
  const [, ordinal = "", name = ""] = /^\+?(-?\d)?([A-Z]{2})$/.exec(day) ?? [];
  if (!Object.hasOwn(DAYS, name)) return undefined;
  if (ordinal === "") return DAYS[name];
  return Object.hasOwn(ORDINALS, ordinal) ? `the ${ORDINALS[ordinal]}${DAYS[name]}` : undefined;
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
