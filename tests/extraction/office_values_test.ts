import { assertEquals } from "@std/assert";
import { altText } from "../../src/extraction/alt_text.ts";
import { formatNumber } from "../../src/extraction/list_numbers.ts";
import { internetDate, isoDate } from "../../src/extraction/properties.ts";
import { decodeSymbols, symbolCharacter } from "../../src/extraction/symbol_fonts.ts";

Deno.test("isoDate reads dates of Office and OpenDocument, and nothing else", () => {
  const cases: [string, string | undefined][] = [
    ["2024-05-01T10:00:00.5Z", "2024-05-01T10:00:00Z"],
    ["2024-05-01T10:00", "2024-05-01T10:00:00Z"],
    ["2024-05-01", "2024-05-01"],
    ["2024-05-01 10:00:00+02:00", "2024-05-01T08:00:00Z"],
    ["1998", "1998"],
    ["2024-05", "2024-05"],
    ["2024-13-01", undefined],
    ["1601-01-01T00:00:00Z", undefined],
    ["May 1st", undefined],
  ];
  for (const [value, expected] of cases) assertEquals(isoDate(value), expected, value);
});

Deno.test("internetDate reads dates of e-mails, feeds and pages, but none whose order is ambiguous", () => {
  const cases: [string, string | undefined][] = [
    ["Tue, 3 Mar 2026 10:00:00 +0100", "2026-03-03T09:00:00Z"],
    ["2026-03-03T10:00:00.123+01:00", "2026-03-03T09:00:00Z"],
    ["March 3, 2026 09:00 UTC", "2026-03-03T09:00:00Z"],
    ["05/06/2024", undefined],
    ["yesterday", undefined],
    ["version 12", undefined],
    ["", undefined],
  ];
  for (const [value, expected] of cases) assertEquals(internetDate(value), expected, value);
});

Deno.test("formatNumber counts as word processors do", () => {
  const formats = ["decimal", "lowerRoman", "upperLetter", "decimalZero", "unknown"];
  assertEquals(formats.map((format) => formatNumber(29, format)), ["29", "xxix", "CC", "29", "29"]);
  assertEquals(formatNumber(0, "lowerLetter"), "0");
});

Deno.test("symbols of Symbol and Wingdings become Unicode, other fonts stay", () => {
  assertEquals(decodeSymbols("abc\uf0ae", "Symbol"), "αβχ→");
  assertEquals([symbolCharacter("Wingdings", 0xf0fc), symbolCharacter("Wingdings", 0x80)], ["✓", ""]);
  assertEquals([decodeSymbols("abc", "Arial"), symbolCharacter("Arial", 0x61)], ["abc", undefined]);
});

Deno.test("altText drops names of files and addresses", () => {
  const found = ["A  fern", "image1.PNG", "https://x.example/a", "", undefined].map(altText);
  assertEquals(found, ["A fern", undefined, undefined, undefined, undefined]);
});
