import { assertEquals, assertThrows } from "@std/assert";
import { ExtractionError } from "../../../src/extraction/errors.ts";
import { MarkdownWriter } from "../../../src/extraction/markdown/writer.ts";

Deno.test("MarkdownWriter separates blocks, and keeps items of a list together", () => {
  const writer = new MarkdownWriter("a", 1_000);
  writer.heading(9, " The\ngarden ");
  writer.paragraph("# no heading\n\n  two   words ");
  writer.item(0, "-", "one\nmore");
  writer.item(1, "1.", "two");
  writer.quote("said\nso");
  writer.fence(["a `b`", "```"]);
  assertEquals(
    writer.text,
    "###### The garden\n\n\\# no heading\ntwo words\n\n- one\n  more\n  1. two\n\n> said\n> so\n\n````\na `b`\n```\n````",
  );
  assertEquals(writer.firstHeading, "The garden");
});

Deno.test("MarkdownWriter counts offsets of pages in normalized text", () => {
  const writer = new MarkdownWriter("a", 1_000);
  writer.startPage();
  writer.paragraph("e\u0301");
  writer.startPage();
  writer.paragraph("two");
  writer.startPage();
  assertEquals([writer.text, writer.pageStarts], ["é\n\ntwo", [0, 3, 6]]);
});

Deno.test("MarkdownWriter stops at the maximum length", () => {
  const writer = new MarkdownWriter("a.docx", 10);
  assertThrows(() => writer.paragraph("x".repeat(11)), ExtractionError, "more than 10 characters");
});
