import { assertEquals } from "@std/assert";
import { type PageItem, pageText } from "../../../src/extraction/formats/pdf_page.ts";

/** Returns a page with one item per line, at vertical position `y`. */
function page(...lines: [text: string, y: number][]): PageItem[] {
  return lines.map(([str, y]) => ({ str, hasEOL: true, transform: [1, 0, 0, 1, 60, y] }));
}

Deno.test("pageText joins the items of a line and keeps line breaks", () => {
  const items = [
    { str: "One" },
    { str: "  " },
    { str: "line", hasEOL: true },
    { str: "", hasEOL: true },
    { str: "two" },
  ];
  assertEquals(pageText(items), "One line\ntwo");
});

Deno.test("pageText separates paragraphs by the distance of their lines", () => {
  const items = page(["a", 100], ["b", 88], ["c", 76], ["d", 50], ["e", 38]);
  assertEquals(pageText(items), "a\nb\nc\n\nd\ne");
});

Deno.test("pageText does not separate double-spaced lines or columns", () => {
  assertEquals(pageText(page(["a", 100], ["b", 76], ["c", 52], ["d", 28])), "a\nb\nc\nd");
  assertEquals(pageText(page(["a", 60], ["b", 48], ["c", 36], ["d", 100], ["e", 88])), "a\nb\nc\nd\ne");
});

Deno.test("pageText removes end-of-line hyphenation", () => {
  const cases: [first: string, second: string, text: string][] = [
    ["knowl-", "edge base", "knowledge base"],
    ["knowl\u00ad", "edge", "knowledge"],
    ["knowl\u2010", "edge", "knowledge"],
    ["Kerala-", "Karnataka", "Kerala-\nKarnataka"],
    ["items: -", "next", "items: -\nnext"],
    ["2020-", "today", "2020-\ntoday"],
  ];
  for (const [first, second, text] of cases) assertEquals(pageText(page([first, 50], [second, 38])), text);
});

Deno.test("pageText ignores structure markers", () => {
  assertEquals(pageText([{}, { str: "a", hasEOL: true }, {}, { str: "b" }]), "a\nb");
});
