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

Deno.test("other texts are no times", () => {
  for (const text of ["", "last week", "7", "d", "-7d", "7m", "7dd", "99999d", "2026-13-01", "7d 2w"]) {
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
