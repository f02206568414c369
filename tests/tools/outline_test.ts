import { assert, assertEquals } from "@std/assert";
import type { Chunk } from "../../src/contract/mod.ts";
import { estimateTokens } from "../../src/text/mod.ts";
import { outlineOf } from "../../src/tools/outline.ts";

const outline = (chunks: Partial<Chunk>[], docType = "markdown", maxTokens?: number) =>
  outlineOf({ chunks: chunks.map((chunk, n) => ({ chunk_id: n, text: "", ...chunk })), first: 0 }, {
    docType,
    maxTokens,
  });

Deno.test("headings of Markdown have their chunk and level, also within a chunk", () => {
  const chunks = [
    { text: "Plants\n======\n\nIntro.\n\n## Ferns ##\n\nWater." },
    { text: "```sh\n# not a heading\n```\n\n### Moss\n\n| a |\n|---|\n\n- item\n---" },
    { text: "Trees\n-----\n\nOak." },
  ];
  assertEquals(outline(chunks), {
    outline: [
      { index: 0, heading: "Plants", level: 1 },
      { index: 0, heading: "Ferns", level: 2 },
      { index: 1, heading: "Moss", level: 3 },
      { index: 2, heading: "Trees", level: 2 },
    ],
  });
});

Deno.test("a heading in the overlap of two chunks is listed once", () => {
  const chunks = [
    { text: "Before.\n\n## Ferns\n\nWater.", char_start: 0, char_end: 25 },
    { text: "## Ferns\n\nWater.\n\nMore.", char_start: 9, char_end: 32 },
  ];
  assertEquals(outline(chunks).outline, [{ index: 0, heading: "Ferns", level: 2 }]);
});

Deno.test("without marks in the text, the headings and pages of the chunks are listed where they change", () => {
  const chunks = [
    { text: "# a comment", heading_path: ["A"], page_start: 1 },
    { heading_path: ["A"], page_start: 2 },
    { heading_path: ["A", "B"], page_start: 2 },
    { heading_path: ["C", "B"], page_start: 5 },
  ];
  assertEquals(outline(chunks, "pdf").outline, [
    { index: 0, heading: "A", level: 1, page: 1 },
    { index: 2, heading: "B", level: 2, page: 2 },
    { index: 3, heading: "C", level: 1, page: 5 },
    { index: 3, heading: "B", level: 2, page: 5 },
  ]);
});

Deno.test("a text without headings is listed by the first words of evenly spaced chunks", () => {
  const chunks = Array.from({ length: 100 }, (_, n) => ({ text: `\n  Chunk ${n}\ngoes on.`, page_start: n }));
  const { outline: entries } = outline(chunks, "pdf");
  assertEquals(entries.length, 34);
  assertEquals(entries[1], { index: 3, starts: "Chunk 3 goes on.", page: 3 });
  assertEquals(outline([], "text").outline, []);
});

Deno.test("chunks before the first heading have an entry with their first words", () => {
  const chunks = [{ text: "Read this first.\n\nIt is short." }, { text: "More." }, {
    text: "# Ferns\n\nWater.",
  }];
  const expected = [{ index: 0, starts: "Read this first. It is short." }, {
    index: 2,
    heading: "Ferns",
    level: 1,
  }];
  assertEquals(outline(chunks).outline, expected);
  const listed = chunks.map((chunk, n) => ({ ...chunk, heading_path: n < 2 ? [] : ["Ferns"] }));
  assertEquals(outline(listed, "pdf").outline, expected);
  assertEquals(outline([{ text: "Intro.\n\n# Ferns" }]).outline, [{ index: 0, heading: "Ferns", level: 1 }]);
  const range = { chunks: [{ chunk_id: 9, text: "Water." }, { chunk_id: 10, text: "# Moss" }], first: 1000 };
  assertEquals(outlineOf(range, { docType: "note" }).outline, [{ index: 1001, heading: "Moss", level: 1 }]);
});

Deno.test("a long outline loses its deepest levels, then its end", () => {
  const chunks = Array.from({ length: 90 }, (_, n) => ({
    text: `${"#".repeat(n % 10 === 0 ? 1 : 3)} Heading ${n}`,
  }));
  const short = outline(chunks, "markdown", 200);
  assertEquals([short.outline.length, short.outline_cut], [9, true]);
  assertEquals(short.outline.every(({ level }) => level === 1), true);
  const flat = outline(chunks.map((_, n) => ({ text: `# Heading ${n}` })), "markdown", 200);
  assert(flat.outline_cut && flat.outline.length > 5);
  assert(estimateTokens(JSON.stringify(flat.outline)) <= 200);
});

Deno.test("an outline of 200,000 headings is cut to its limit", () => {
  const text = "# a\n".repeat(200_000);
  const { outline, outline_cut } = outlineOf({ chunks: [{ chunk_id: 1, text }], first: 0 }, {
    docType: "note",
    maxTokens: 200,
  });
  assertEquals(outline_cut, true);
  assert(outline.length > 10 && estimateTokens(JSON.stringify(outline)) <= 200);
});
