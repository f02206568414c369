import { assert, assertEquals } from "@std/assert";
import { summaryOf } from "../../src/vault/mod.ts";

Deno.test("a summary is a field of the front matter, the first paragraph, or the start of the text", () => {
  assertEquals(summaryOf("Text.", { description: " From\nthe field. " }), "From the field.");
  assertEquals(summaryOf("Text.", { summary: "", description: 3 }), "Text.");
  const text =
    "Title\n===\n#tag #other\n> quote\n\n```\ncode\n```\n| a | b |\n- item\n\nThe `first`\nparagraph.\n\nThe second.";
  assertEquals(summaryOf(text), "The `first` paragraph.");
  assertEquals(summaryOf("- only\n- a list"), "- only - a list");
});

Deno.test("a long summary is cut between words", () => {
  const summary = summaryOf("word ".repeat(1_000));
  assert(summary.length <= 600);
  assert(summary.endsWith("word…"));
});
