import { assertEquals } from "@std/assert";
import type { Row } from "../../../src/extraction/pdf/rows.ts";
import { findGrid } from "../../../src/extraction/pdf/tables.ts";

/** Returns rows of equal height with a word in each of their columns. */
function gridOf(rows: number, columns: number): Row[] {
  return Array.from({ length: rows }, (_, row) => {
    const y = 12 * (rows - row);
    const cells = Array.from({ length: columns }, (_, column) => {
      const place = { left: 20 * column, right: 20 * column + 10 };
      return { lines: [{ text: "a", ...place, y, size: 9, isBold: false, isMonospaced: false }], ...place };
    });
    return { cells, top: y, bottom: y };
  });
}

Deno.test("a table has up to 40 columns", () => {
  assertEquals(findGrid(gridOf(10, 40), 0)?.table?.rows.length, 10);
  assertEquals(findGrid(gridOf(10, 41), 0), undefined);
});

Deno.test("hundreds of thousands of cells on a page are not compared with each other", () => {
  assertEquals(findGrid(gridOf(400, 1_000), 0), undefined);
});
