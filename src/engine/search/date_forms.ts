/** The numbers of a date: `2026-03-14`, `14.03.2026`, `3/14/2026`, `14-3-2026`. */
const DATE =
  /^[^\p{L}\p{N}]*(?:(?<year>\d{4})[-./](?<month>\d{1,2})[-./](?<day>\d{1,2})|(?<first>\d{1,2})(?<separator>[-./])(?<second>\d{1,2})\k<separator>(?<last>\d{4}))[^\p{L}\p{N}]*$/u;

/** A month has fewer days, so that the position of a higher number is that of the day. */
const MONTHS = 12;
const MAX_DAYS = 31;

/** A day of the year. */
interface CalendarDate {
  /** Four digits, of which the first may be 0. */
  readonly year: string;
  readonly month: number;
  readonly day: number;
}

/**
 * Returns the words of the other spellings of a date in numbers: `2026-03-14` is the words 2026, 03 and 14 to the index,
 * but `14.3.2026` is 14, 3 and 2026. With slashes and hyphens, the order of day and month must be plain.
 *
 * @param text A word of a query, with punctuation.
 *
 * @example
 * ```ts
 * import { dateForms } from "./date_forms.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(dateForms("4.3.2026"), [["2026", "03", "04"], ["04", "03", "2026"]]);
 * assertEquals(dateForms("4/3/2026"), []);
 * ```
 */
export function dateForms(text: string): string[][] {
  const date = parseDate(text);
  if (!date) return [];
  const { year } = date;
  const [month, day] = [`${date.month}`, `${date.day}`];
  const [paddedMonth, paddedDay] = [month.padStart(2, "0"), day.padStart(2, "0")];
  const forms = [[year, paddedMonth, paddedDay], [paddedDay, paddedMonth, year], [day, month, year]];
  // 3/4 could be another day.
  if (date.day > MONTHS) forms.push([paddedMonth, paddedDay, year], [month, day, year]);
  const typed = text.match(/\d+/g)?.join(" ");
  const others = new Map(forms.map((words) => [words.join(" "), words]));
  return [...others].filter(([key]) => key !== typed).map(([, words]) => words);
}

function parseDate(text: string): CalendarDate | undefined {
  const groups = DATE.exec(text)?.groups as Record<string, string | undefined> | undefined;
  if (!groups) return undefined;
  const [first, second] = [Number(groups["first"]), Number(groups["second"])];
  const isMonthFirst = second > MONTHS;
  const isPlain = groups["separator"] === "." || first > MONTHS || isMonthFirst;
  const { year, last = "" } = groups;
  const date = year !== undefined ? { year, month: Number(groups["month"]), day: Number(groups["day"]) } : {
    year: last,
    month: isMonthFirst ? first : second,
    day: isMonthFirst ? second : first,
  };
  const { month, day } = date;
  const isValid = month >= 1 && month <= MONTHS && day >= 1 && day <= MAX_DAYS;
  return isValid && (year !== undefined || isPlain) ? date : undefined;
}
