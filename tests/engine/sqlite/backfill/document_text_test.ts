import { assertEquals } from "@std/assert";
import { documentText } from "../../../../src/engine/sqlite/backfill/document_text.ts";

const CASES: [what: string, parts: [string, string[], string], expected: string][] = [
  ["title and headings stand before the text", ["Book", ["One", "Two"], "Text."], "Book\nOne\nTwo\nText."],
  [
    "a heading that the text has is not said twice",
    ["Book", ["One"], "# One\n\nText."],
    "Book\n# One\n\nText.",
  ],
  ["a title that the text begins with is not said twice", ["The cat", [], "The cat sat."], "The cat sat."],
  ["nor is one that was generated from it and cut", ["The cat…", [], "The cat sat."], "The cat sat."],
  ["a cut title stays in later chunks", ["The cat…", [], "It slept."], "The cat…\nIt slept."],
  ["a title that is a heading too is said once", ["Book", ["Book", "One"], "Text."], "Book\nOne\nText."],
  ["no title and empty headings are left out", ["", ["", " "], "Text."], "Text."],
];
for (const [what, [title, headings, text], expected] of CASES) {
  Deno.test(what, () => assertEquals(documentText(title, headings, text), expected));
}
