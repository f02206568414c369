import { assertEquals } from "@std/assert";
import { dateForms } from "../../../src/engine/search/date_forms.ts";

/** Returns the other spellings of a date, each as text. */
function forms(text: string): string[] {
  return dateForms(text).map((words) => words.join(" "));
}

Deno.test("a date has the other spellings of its numbers, and not its own", () => {
  const all = ["2026 03 14", "14 03 2026", "14 3 2026", "03 14 2026", "3 14 2026"];
  const cases = {
    "2026-03-14": "2026 03 14",
    "(2026/03/14),": "2026 03 14",
    "14.03.2026": "14 03 2026",
    "14.3.2026.": "14 3 2026",
    "14-03-2026": "14 03 2026",
    "3/14/2026": "3 14 2026",
    "03/14/2026": "03 14 2026",
  };
  for (const [text, own] of Object.entries(cases)) {
    assertEquals(forms(text), all.filter((form) => form !== own), text);
  }
});

Deno.test("a day that could be a month is in no spelling that starts with the month", () => {
  assertEquals(forms("4.3.2026"), ["2026 03 04", "04 03 2026"]);
  assertEquals(forms("2026-03-04"), ["04 03 2026", "4 3 2026"]);
  // Programs write it for a date that is missing, and 1.1.1 is a version.
  assertEquals(forms("0001-01-01"), ["01 01 0001", "1 1 0001"]);
});

Deno.test("other numbers, and those of which the day is unknown, have no spellings of dates", () => {
  for (
    const text of [
      "4/3/2026",
      "4-3-2026",
      "2026-13-01",
      "2026-01-32",
      "0.3.2026",
      "10.0.0.1",
      "14.3-2026",
      "x14.3.2026",
    ]
  ) {
    assertEquals(forms(text), [], text);
  }
});
