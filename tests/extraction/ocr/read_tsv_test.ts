import { assertEquals } from "@std/assert";
import { readTsv } from "../../../src/extraction/ocr/read_tsv.ts";

/** A row of a word. */
function word(text: string, { paragraph = 1, line = 1, confidence = 90 } = {}): string {
  return ["5", 1, 1, paragraph, line, 1, 0, 0, 9, 9, confidence, text].join("\t");
}

Deno.test("readTsv joins words to lines, and separates paragraphs with an empty line", () => {
  const tsv = [word("Water"), word("them"), word("daily", { line: 2 }), word("Rest", { paragraph: 2 })].join(
    "\n",
  );
  assertEquals(readTsv(tsv).text, "Water them\ndaily\n\nRest");
});

Deno.test("readTsv drops words and lines that are probably noise", () => {
  const tsv = [
    word("Water"),
    word("~|", { confidence: 10 }),
    word("i1|", { line: 2, confidence: 25 }),
  ].join("\n");
  assertEquals(readTsv(tsv), { text: "Water", confidence: 0.9 });
});

Deno.test("readTsv finds nothing in an image without words", () => {
  assertEquals(readTsv("1\t1\t0\t0\t0\t0\t0\t0\t850\t1100\t-1\t\n"), { text: "", confidence: 0 });
});
