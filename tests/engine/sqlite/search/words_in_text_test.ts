import { assertEquals } from "@std/assert";
import { isOnlyInDecimals } from "../../../../src/engine/sqlite/search/words_in_text.ts";

Deno.test("a number is only in decimals if no date, version, address or sentence has it", () => {
  for (const text of ["123.3", "(0.123)", "12,123.", "-123,45 and 123.3", "| 123.3 |"]) {
    assertEquals(isOnlyInDecimals(text, "123"), true, text);
  }
  for (
    const text of [
      "123",
      "123.",
      "123.3 or 123",
      "14.3.123",
      "10.123.0.1",
      "v1-123.7",
      "123. 3",
      "1, 123, 4",
      "a.123",
      "123.3x",
      "1234.5",
      "x123.5",
      "",
    ]
  ) assertEquals(isOnlyInDecimals(text, "123"), false, text);
});

Deno.test("a long run of digits and separators around a number is compared in part", () => {
  assertEquals(isOnlyInDecimals(`${"1.".repeat(100_000)}123${".1".repeat(100_000)}`, "123"), false);
  assertEquals(isOnlyInDecimals("123.3 ".repeat(100_000), "123"), true);
});
