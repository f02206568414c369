import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { recurrenceWords } from "../../../src/extraction/content_lines/recurrence.ts";
import { extract } from "../../../src/extraction/mod.ts";
import type { ExtractedText } from "../../../src/extraction/types.ts";

async function read(lines: readonly string[], filename = "a.ics"): Promise<ExtractedText> {
  const bytes = new TextEncoder().encode(lines.join("\r\n"));
  const found = await extract({ bytes, filename, contentType: undefined });
  assert(found);
  return found;
}

function calendar(...lines: string[]): string[] {
  return ["BEGIN:VCALENDAR", "VERSION:2.0", ...lines, "END:VCALENDAR", ""];
}

const ZONE = ["BEGIN:VTIMEZONE", "TZID:Europe/Berlin", "BEGIN:STANDARD", "DTSTART:19701025T030000"].concat(
  "COMMENT:zone",
  "END:STANDARD",
  "END:VTIMEZONE",
);

Deno.test("an event is a section with its times, place, people and description", async () => {
  const found = await read(calendar(
    "X-WR-CALNAME:Team\\, planning",
    ...ZONE,
    "BEGIN:VEVENT",
    "UID:1@example.org",
    "SUMMARY:Weekly\\, sync",
    "DTSTART;TZID=Europe/Berlin:20260303T100000",
    'DTEND;TZID="Europe/Berlin":20260303T113015',
    "RRULE:FREQ=WEEKLY;BYDAY=TU;UNTIL=20261231T000000Z",
    "EXDATE;TZID=Europe/Berlin:20260310T100000,20260317T100000",
    "LOCATION:Room 5\\; second floor",
    "DESCRIPTION:Agenda:\\n- budget\\n- a lo",
    " ng item\\\\",
    'ORGANIZER;CN="Lee, Ann":mailto:ann@example.org',
    "ATTENDEE;CN=Ben ^'B^';ROLE=REQ-PARTICIPANT:mailto:ben@example.org",
    "ATTENDEE:mailto:c@example.org",
    "CATEGORIES:Work,Team",
    "BEGIN:VALARM",
    "DESCRIPTION:Reminder",
    "END:VALARM",
    "STATUS:CONFIRMED",
    "END:VEVENT",
  ));
  assertEquals([found.docType, found.title, found.markup, found.metadata], [
    "calendar",
    "Team, planning",
    "markdown",
    { entries: 1 },
  ]);
  assertEquals(
    found.text,
    "# Team, planning\n\n## Weekly, sync\n\nStart: 2026-03-03 10:00 Europe/Berlin\nEnd: 2026-03-03 11:30:15 Europe/Berlin\n" +
      "Repeats: every week on Tuesday, until 2026-12-31 00:00 UTC\n" +
      "Except on: 2026-03-10 10:00 Europe/Berlin, 2026-03-17 10:00 Europe/Berlin\n" +
      "Location: Room 5; second floor\nStatus: CONFIRMED\nCategories: Work, Team\nOrganizer: Lee, Ann <ann@example.org>\n" +
      'Attendees: Ben "B" <ben@example.org>; c@example.org\n\nAgenda:\n- budget\n- a long item\\\n',
  );
});

Deno.test("whole days end on their last day; to-dos and journal entries are sections", async () => {
  const { text, title } = await read(calendar(
    ...[
      "BEGIN:VEVENT",
      "SUMMARY:Trip",
      "DTSTART;VALUE=DATE:20260227",
      "DTEND;VALUE=DATE:20260302",
      "END:VEVENT",
    ],
    ...["BEGIN:VEVENT", "DTSTART;VALUE=DATE:20260303", "DTEND;VALUE=DATE:20260304", "END:VEVENT"],
    ...["BEGIN:VTODO", "SUMMARY:Pay", "DUE:20260401T120000", "DURATION:P1DT2H", "END:VTODO"],
    ...["BEGIN:VJOURNAL", "SUMMARY:Diary", "DTSTART:soon", "DESCRIPTION:Words.", "END:VJOURNAL"],
  ));
  assertEquals(
    text,
    "## Trip\n\nStart: 2026-02-27\nEnd: 2026-03-01\n\n## Event\n\nStart: 2026-03-03\n\n" +
      "## Pay\n\nDue: 2026-04-01 12:00\nDuration: 1 day 2 hours\n\n## Diary\n\nStart: soon\n\nWords.\n",
  );
  assertEquals(title, undefined);
});

Deno.test("simple recurrence rules are words, others stay as they are", () => {
  const words = (rule: string) => recurrenceWords(rule, (time) => time);
  assertEquals(words("FREQ=DAILY"), "every day");
  assertEquals(
    words("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE,FR;COUNT=5"),
    "every 2 weeks on Monday, Wednesday and Friday, 5 times",
  );
  assertEquals(words("FREQ=MONTHLY;BYMONTHDAY=15;WKST=MO"), "every month on day 15");
  for (
    const rule of [
      "FREQ=YEARLY;BYWEEKNO=20",
      "FREQ=MONTHLY;BYDAY=9XX",
      "FREQ=toString",
      "FREQ=DAILY;INTERVAL=x",
      "",
    ]
  ) {
    assertEquals(words(rule), rule);
  }
});

Deno.test("a calendar without an end, and with a hidden component that does not end, is read", async () => {
  const { text } = await read(
    calendar("BEGIN:VTIMEZONE", "BEGIN:VEVENT", "SUMMARY:One", "BEGIN:VALARM", "BEGIN:VEVENT", "SUMMARY:Two")
      .slice(0, -2),
    "invite",
  );
  assertEquals(text, "## One\n\n## Two\n");
});

Deno.test("lines that are folded within a character, and UTF-16, are decoded", async () => {
  const folded = new TextEncoder().encode(
    "BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Gr\u00fc\u00dfe\nEND:VEVENT\n",
  );
  const at = folded.indexOf(0xc3) + 1;
  const bytes = Uint8Array.from([...folded.slice(0, at), 0x0d, 0x0a, 0x20, ...folded.slice(at)]);
  assertEquals((await extract({ bytes, filename: "a.ics", contentType: undefined }))?.text, "## Grüße\n");
  const units = Uint16Array.from(
    "\ufeffBEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Gr\n üße\n",
    (char) => char.charCodeAt(0),
  );
  const utf16 = new Uint8Array(units.buffer);
  assertEquals(
    (await extract({ bytes: utf16, filename: "a.ics", contentType: undefined }))?.text,
    "## Grüße\n",
  );
});

Deno.test("further attendees are counted, and a file without entries is plain text", async () => {
  const many = Array.from({ length: 250 }, (_, i) => `ATTENDEE:mailto:a${i}@example.org`);
  const { text } = await read(calendar("BEGIN:VEVENT", ...many, "END:VEVENT"));
  assert(text.trimEnd().endsWith("; a199@example.org; and 50 more"), text.slice(-60));
  const plain = await read(["Meeting", "  on Monday"]);
  assertEquals([plain.docType, plain.text, plain.warnings?.length], ["text", "Meeting\n  on Monday", 1]);
});

Deno.test("a mail's invitation is read as a calendar", async () => {
  const found = await extract({
    bytes: new TextEncoder().encode(calendar("BEGIN:VEVENT", "SUMMARY:Lunch", "END:VEVENT").join("\r\n")),
    filename: undefined,
    contentType: "text/calendar; method=REQUEST",
  });
  assertStringIncludes(found?.text ?? "", "## Lunch");
});

Deno.test("hostile calendars of megabytes are read in one pass", async () => {
  const marks = [
    "BEGIN:VEVENT\n",
    "BEGIN:VALARM\n",
    "END:VALARM\n",
    "A;",
    "A;B=",
    'A;B="',
    "\n ",
    "\\",
    ",",
    "DTSTART:",
  ].concat(
    "ATTENDEE;CN=a,",
    "RRULE:FREQ=DAILY;",
    "^",
  );
  for (const mark of marks) {
    const many = mark.repeat(100_000 / mark.length);
    const { text } = await read(
      calendar("BEGIN:VEVENT", "SUMMARY:First", `${many}`, `RRULE:${many}`, `EXDATE;TZID=${many}:${many}`),
    );
    assert(text.startsWith("## First"), mark);
  }
});

Deno.test("a long name of a time zone is not repeated for each of many times", async () => {
  const times = Array(2_000).fill("20260303T100000").join();
  const line = `EXDATE;TZID=${"z".repeat(30_000)}:${times}`;
  const { text } = await read(calendar("BEGIN:VEVENT", "SUMMARY:x", line, "END:VEVENT"));
  assert(text.includes("2026-03-03 10:00 zzz") && text.length < 300_000, `${text.length}`);
});
