import { assertEquals } from "@std/assert";
import { namePages, pageWarnings } from "../../../src/extraction/pdf/page_warnings.ts";

Deno.test("namePages joins consecutive pages, and names at most 12 ranges", () => {
  assertEquals(namePages([3]), "page 3");
  assertEquals(namePages([1, 2, 3, 7, 9, 10]), "pages 1–3, 7, and 9–10");
  const odd = Array.from({ length: 20 }, (_, index) => 2 * index + 1);
  assertEquals(namePages(odd), "pages 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, and others");
});

Deno.test("pageWarnings has a sentence for each kind of page", () => {
  assertEquals(pageWarnings({ scanned: [], unreadable: [], partial: [], failed: [] }), []);
  assertEquals(pageWarnings({ scanned: [3, 4], unreadable: [5], partial: [6], failed: [7], skipped: [4] }), [
    "Pages 3–4 have no text: they look like a scan. Run OCR on the file and upload the result to find what they say.",
    "The text of page 5 was left out: its fonts have no map to characters.",
    "Some text of page 6 was left out: a font has no map to characters.",
    "The time for OCR was used up before page 4. KB_OCR_TIMEOUT sets it.",
    "Page 7 is damaged and could not be read.",
  ]);
  assertEquals(pageWarnings({ scanned: [2], unreadable: [], partial: [], failed: [] }), [
    "Page 2 has no text: it looks like a scan. Run OCR on the file and upload the result to find what it says.",
  ]);
});
