import { assertEquals } from "@std/assert";
import { documentTitle } from "../../src/extraction/document_title.ts";

const PLACEHOLDERS = [
  "untitled",
  "Untitled-1",
  "(anonymous)",
  "Title",
  "[Document title]",
  "Document1",
  "Dokument 2",
  "Slide 1",
  "Mappe1",
  "PowerPoint Presentation",
  "PowerPoint-Präsentation",
  "Présentation PowerPoint",
  "PowerPoint プレゼンテーション",
  "Презентация PowerPoint",
  "Click to edit Master title style",
  "Click to add title",
  "無題",
  "Без имени",
  "Sin título",
  "Microsoft Word - Plan 3",
  "Microsoft Word",
  "Microsoft PowerPoint - talk.ppt",
  "CamScanner 01-12-2020 12.30",
  "Scan_0001",
  "IMG_2033",
  "Book1",
  "New Document",
  "none",
  "NAME",
];
for (const title of PLACEHOLDERS) {
  Deno.test(`documentTitle drops the placeholder ${title}`, () => {
    assertEquals(documentTitle(title, "x.pdf"), undefined);
  });
}

const FILES = [
  "report.doc",
  "Annual report, final.docx",
  "paper.dvi",
  "C:\\Users\\ann\\x",
  "/home/ann/thesis/main",
  "file:///srv/x",
  "https://example.com/a",
  "annual_report_v2",
  "plants",
  "0123456789abcdef0123456789abcdef",
  "1b4e28ba-2fa1-11d2-883f-0016d3cca427",
  "about:blank",
];
for (const title of FILES) {
  Deno.test(`documentTitle drops the file name or identifier ${title}`, () => {
    assertEquals(documentTitle(title, "plants.pdf"), undefined);
  });
}

for (const title of ["", "  ", "x", "7", "2024", "---", "\ufffd\ufffdab", undefined, null, {}, 17]) {
  Deno.test(`documentTitle drops ${JSON.stringify(title)}`, () => {
    assertEquals(documentTitle(title, "x.pdf"), undefined);
  });
}

const TITLES = [
  "Care of Plants",
  "Titles and Honours",
  "Document Management at Work",
  "Test Driven Development",
  "UTF-8",
  "Go",
  "PostgreSQL 17.2 Documentation",
  "春",
  "植物の世話",
  "Report 2024",
  "Presentation skills",
  "Draft of the treaty",
  "Word for Word",
  "Node.js",
  "Книга",
  "The Index of Refraction",
  "Print culture",
];
for (const title of TITLES) {
  Deno.test(`documentTitle keeps ${title}`, () => assertEquals(documentTitle(title, "plants.pdf"), title));
}

Deno.test("documentTitle keeps words that are also the name of the file", () => {
  assertEquals(documentTitle("Care of Plants", "Care of Plants.pdf"), "Care of Plants");
});
