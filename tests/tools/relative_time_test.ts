import { assertEquals } from "@std/assert";
import { isTime, resolveTimes } from "../../src/tools/relative_time.ts";

const NOW = Date.UTC(2026, 2, 31, 9, 30, 15, 999);

const TIMES: [text: string, absolute: string][] = [
  ["7d", "2026-03-24T09:30:15Z"],
  ["2w", "2026-03-17T09:30:15Z"],
  ["24h", "2026-03-30T09:30:15Z"],
  ["1 day", "2026-03-30T09:30:15Z"],
  ["3 weeks ago", "2026-03-10T09:30:15Z"],
  ["0d", "2026-03-31T09:30:15Z"],
  ["today", "2026-03-31"],
  ["Yesterday", "2026-03-30"],
  ["now", "2026-03-31T09:30:15Z"],
  ["last 7 days", "2026-03-24T09:30:15Z"],
  ["past 24 hours", "2026-03-30T09:30:15Z"],
  ["1 month", "2026-02-28T09:30:15Z"],
  ["3mo", "2025-12-31T09:30:15Z"],
  ["2 years ago", "2024-03-31T09:30:15Z"],
  ["9999y", "1970-01-01T00:00:00Z"],
];
for (const [text, absolute] of TIMES) {
  Deno.test(`${text} is ${absolute}`, () => {
    assertEquals(isTime(text), true);
    assertEquals(resolveTimes({ since: text }, NOW).since, absolute);
    assertEquals(resolveTimes({ until: text }, NOW).until, absolute);
  });
}

Deno.test("dates and date-times stay as they are, and so do their cursors", () => {
  const range = { since: "2026-03-01", until: "2026-03-31T09:00:00+02:00", cursor: "x~12" };
  const { nextCursor, ...resolved } = resolveTimes(range, NOW);
  assertEquals([resolved, nextCursor("y")], [range, "y"]);
});

const PERIODS: [text: string, first: string, last: string][] = [
  ["2026", "2026-01-01", "2026-12-31"],
  ["2026-11", "2026-11-01", "2026-11-30"],
  ["2024-02", "2024-02-01", "2024-02-29"],
];
for (const [text, first, last] of PERIODS) {
  Deno.test(`${text} is from ${first} to ${last}`, () => {
    assertEquals(isTime(text), true);
    const { since, until } = resolveTimes({ since: text, until: text }, NOW);
    assertEquals([since, until], [first, last]);
  });
}

Deno.test("a date-time may have a space instead of the T", () => {
  const text = "2026-03-01 10:00:00+02:00";
  assertEquals(isTime(text), true);
  assertEquals(resolveTimes({ since: text }, NOW).since, "2026-03-01T10:00:00+02:00");
});

Deno.test("other texts are no times", () => {
  for (
    const text of ["", "last week", "7", "d", "-7d", "7m", "7dd", "99999d", "2026-13-01", "2026-13", "7d 2w"]
  ) {
    assertEquals([text, isTime(text)], [text, false]);
  }
});

Deno.test("the pages of a listing have the same range, relative to the first one", () => {
  const first = resolveTimes({ since: "7d", until: "today" }, NOW);
  const cursor = first.nextCursor("page~2");
  const second = resolveTimes({ since: "7d", until: "today", cursor }, NOW + 3 * 86_400_000);
  assertEquals([second.since, second.until, second.cursor], [first.since, first.until, "page~2"]);
  assertEquals(resolveTimes({ since: "7d", cursor: second.nextCursor("page3") }, NOW).since, first.since);
});
