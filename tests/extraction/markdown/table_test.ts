import { assertEquals } from "@std/assert";
import { markdownTable } from "../../../src/extraction/markdown/table.ts";

Deno.test("markdownTable writes the text of merged cells once", () => {
  const rows = [
    [{ text: "Plant", rows: 2 }, { text: "Water", columns: 2 }],
    [{ text: "May" }, { text: "June" }],
    [{ text: "Fern" }, { text: "" }, { text: "daily" }],
  ];
  assertEquals(
    markdownTable(rows),
    "| Plant | Water |  |\n| --- | --- | --- |\n|  | May | June |\n| Fern |  | daily |",
  );
});

Deno.test("markdownTable keeps cells on one line and escapes separators", () => {
  assertEquals(markdownTable([[{ text: "a\n b" }, { text: "c|d" }]]), "| a b | c\\|d |\n| --- | --- |");
});

Deno.test("markdownTable leaves out empty rows, empty columns at the end, and empty tables", () => {
  assertEquals(markdownTable([[{ text: "a" }, { text: "" }], [{ text: "" }]]), "| a |\n| --- |");
  assertEquals(markdownTable([[{ text: " " }]]), "");
});

Deno.test("markdownTable bounds the columns that a cell claims", () => {
  const line = markdownTable([[{ text: "a", columns: 1e9 }], [{ text: "b" }]]);
  assertEquals(line, "| a |\n| --- |\n| b |");
});

Deno.test("markdownTable does not fill up many short rows to the width of a long one", () => {
  const wide = Array.from({ length: 1000 }, () => ({ text: "x" }));
  const rows = [wide, ...Array.from({ length: 20 }, () => [{ text: "y" }])];
  const lines = markdownTable(rows).split("\n");
  assertEquals([lines.length, lines[0]?.length, lines[1]?.length], [22, 4001, 6001]);
  assertEquals(new Set(lines.slice(2)), new Set(["| y |"]));
});
