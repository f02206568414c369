import { oneLine } from "../whitespace.ts";
import { type ContentLine, parseLine, splitText, unescapeText } from "./content_lines.ts";
import { recurrenceWords } from "./recurrence.ts";

/** A calendar file. */
export interface Calendar {
  readonly name: string | undefined;
  readonly entries: readonly CalendarEntry[];
}

/** An event, to-do or journal entry. */
export interface CalendarEntry {
  readonly title: string;
  /** `Label: value`. */
  readonly lines: readonly string[];
  /** Description and comments. */
  readonly paragraphs: readonly string[];
}

/** Components that are sections, with the name of one without a summary. */
const ENTRIES: Readonly<Record<string, string>> = {
  VEVENT: "Event",
  VTODO: "To-do",
  VJOURNAL: "Journal entry",
};
/** Maximum length of the name of a time zone, in characters. Threat: each of many times of a line names it. */
const MAX_ZONE_CHARS = 100;
/** Maximum number of attendees of an entry that are named. */
const MAX_ATTENDEES = 200;
/** Properties with text, in the order in which they are written. */
const TEXTS: readonly (readonly [name: string, label: string])[] = [
  ["LOCATION", "Location"],
  ["STATUS", "Status"],
  ["PERCENT-COMPLETE", "Percent complete"],
  ["PRIORITY", "Priority"],
  ["CATEGORIES", "Categories"],
  ["RESOURCES", "Resources"],
  ["CONTACT", "Contact"],
  ["URL", "URL"],
  ["CONFERENCE", "Conference"],
];

/**
 * Parses iCalendar (RFC 5545) whose lines are unfolded: events, to-dos and journal entries. Time zones, alarms and other
 * components are left out.
 */
export function parseCalendar(text: string): Calendar {
  const entries: CalendarEntry[] = [];
  let name: string | undefined;
  let current: { readonly kind: string; readonly lines: ContentLine[] } | undefined;
  /** Component whose lines are left out. */
  let hidden: string | undefined;
  const end = () => {
    if (current) entries.push(toEntry(current.kind, current.lines));
    current = undefined;
  };
  for (const source of text.split("\n")) {
    const line = parseLine(source);
    if (!line) continue;
    const component = line.value.trim().toUpperCase();
    if (line.name === "BEGIN") {
      if (component === "VCALENDAR" || Object.hasOwn(ENTRIES, component)) {
        end();
        hidden = undefined;
        if (component !== "VCALENDAR") current = { kind: component, lines: [] };
      } else hidden ??= component;
    } else if (line.name === "END") {
      if (component === hidden) hidden = undefined;
      else if (hidden === undefined) end();
    } else if (hidden === undefined) {
      if (current) current.lines.push(line);
      else if (/^(?:X-WR-CALNAME|NAME)$/.test(line.name)) name ??= oneLine(unescapeText(line.value));
    }
  }
  end();
  return { name: name || undefined, entries };
}

function toEntry(kind: string, lines: readonly ContentLine[]): CalendarEntry {
  const all = (name: string) => lines.filter((line) => line.name === name);
  const texts = (name: string) =>
    all(name).map(({ value }) => unescapeText(value).trim()).filter((value) => value !== "");
  const first = (name: string) => lines.find((line) => line.name === name);
  const people = (name: string) => {
    const named = all(name).slice(0, MAX_ATTENDEES).map(person).filter((each) => each !== "");
    const more = all(name).length - MAX_ATTENDEES;
    return more > 0 ? [...named, `and ${more} more`] : named;
  };
  const start = first("DTSTART");
  const due = first("DUE");
  const rows: readonly (readonly [label: string, values: readonly string[]])[] = [
    ["Start", [start && timeOf(start)].filter(isText)],
    ["End", [lastTime(start, first("DTEND"))].filter(isText)],
    ["Due", [due && timeOf(due)].filter(isText)],
    ["Duration", texts("DURATION").map(durationWords)],
    ["Completed", all("COMPLETED").map(timeOf)],
    ["Instead of", all("RECURRENCE-ID").map(timeOf)],
    ["Repeats", all("RRULE").map(({ value }) => recurrenceWords(value.trim(), formatTime))],
    ["Also on", all("RDATE").map(timesOf)],
    ["Except on", all("EXDATE").map(timesOf)],
    ...TEXTS.map(([name, label]) =>
      [
        label,
        /^(?:CATEGORIES|RESOURCES)$/.test(name)
          ? all(name).flatMap(({ value }) => splitText(value, ",")).filter(isText)
          : texts(name),
      ] as const
    ),
    ["Organizer", people("ORGANIZER")],
    ["Attendees", people("ATTENDEE")],
  ];
  return {
    title: oneLine(texts("SUMMARY")[0] ?? "") || ENTRIES[kind]!,
    lines: rows.flatMap(([label, values]) =>
      values.length === 0 ? [] : [`${label}: ${oneLine(values.join(label === "Attendees" ? "; " : ", "))}`]
    ),
    paragraphs: [...texts("DESCRIPTION"), ...texts("COMMENT")],
  };
}

function isText(value: string | undefined): value is string {
  return value !== undefined && value !== "";
}

/** Returns `Ann Lee <ann@example.org>` of an attendee. */
function person({ params, value }: ContentLine): string {
  const address = value.trim().replace(/^mailto:/i, "");
  const name = oneLine(params.get("CN")?.[0] ?? "");
  return name === "" || name === address ? address : `${name} <${address}>`;
}

function timesOf(line: ContentLine): string {
  const zone = zoneOf(line);
  return line.value.split(",").map((time) => formatTime(time.trim(), zone)).join(", ");
}

function timeOf(line: ContentLine): string {
  return formatTime(line.value.trim(), zoneOf(line));
}

function zoneOf({ params }: ContentLine): string | undefined {
  return params.get("TZID")?.[0]?.slice(0, MAX_ZONE_CHARS);
}

/** Returns the end of an event; undefined for one of a whole day. The end date of whole days is the day after. */
function lastTime(start: ContentLine | undefined, end: ContentLine | undefined): string | undefined {
  if (!end) return undefined;
  const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)$/.exec(end.value.trim()) ?? [];
  if (day === undefined) return timeOf(end);
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day) - 1));
  const last = Number.isNaN(date.getTime()) ? undefined : date.toISOString().slice(0, 10);
  return last === undefined || (start && timeOf(start) === last) ? undefined : last;
}

/** Returns `2026-03-03 10:00 Europe/Berlin`, and other values as they are. */
function formatTime(value: string, zone?: string): string {
  const [, year, month, day, hour, minute, second, utc] =
    /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)?(Z)?)?$/i.exec(value) ?? [];
  if (day === undefined) return value;
  const date = `${year}-${month}-${day}`;
  if (hour === undefined) return date;
  const seconds = second === undefined || second === "00" ? "" : `:${second}`;
  const place = utc === undefined ? zone ?? "" : "UTC";
  return `${date} ${hour}:${minute}${seconds}${place === "" ? "" : ` ${place}`}`;
}

/** Returns `1 hour 30 minutes` of `PT1H30M`. */
function durationWords(value: string): string {
  const found = /^\+?P(?:(\d{1,6})W)?(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,6})S)?)?$/i
    .exec(value);
  const words = ["week", "day", "hour", "minute", "second"].flatMap((unit, at) => {
    const count = Number(found?.[at + 1] ?? 0);
    return count === 0 ? [] : [`${count} ${unit}${count === 1 ? "" : "s"}`];
  });
  return words.join(" ") || value;
}
