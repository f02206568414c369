import { oneLine } from "../whitespace.ts";

/** A cell of a table. */
export interface TableCell {
  /** Text; line ends become spaces. */
  readonly text: string;
  /** Number of columns that the cell covers: 1 without a value. */
  readonly columns?: number;
  /** Number of rows that the cell covers: 1 without a value. */
  readonly rows?: number;
}

/** Maximum number of columns of a table; further cells are left out of the grid. */
const MAX_COLUMNS = 1_000;
/**
 * Shorter rows get empty cells up to the width of the table if it has at most 1,000 cells then, or 10 times as many as
 * before. Threat: one row with many cells above many rows with one.
 */
const [MAX_SMALL_CELLS, MAX_GROWTH] = [1_000, 10];

/**
 * Writes a table as a Markdown table whose first row is the header. The text of a merged cell appears once, in its
 * first row and column. Empty cells are kept, empty rows and empty columns at the end are not. In a table with many short
 * rows, these end with their last cell.
 *
 * @returns An empty string if no cell has text.
 *
 * @example
 * ```ts
 * import { markdownTable } from "./table.ts";
 * import { assertEquals } from "@std/assert";
 * const rows = [[{ text: "Plant" }, { text: "Water" }], [{ text: "Fern", columns: 2 }]];
 * assertEquals(markdownTable(rows), "| Plant | Water |\n| --- | --- |\n| Fern |  |");
 * ```
 */
export function markdownTable(rows: readonly (readonly TableCell[])[]): string {
  const grid = fillGrid(rows).filter((row) => row.some((text) => text !== ""));
  if (grid.length === 0) return "";
  // A table may have more rows than a call may have arguments.
  const width = grid.reduce((max, row) => Math.max(max, row.findLastIndex((text) => text !== "") + 1), 0);
  const cells = grid.reduce((sum, row) => sum + row.length, 0);
  const isPadded = grid.length * width <= Math.max(MAX_SMALL_CELLS, MAX_GROWTH * cells);
  const lines = grid.map((row, index) => {
    const length = isPadded || index === 0 ? width : row.findLastIndex((text) => text !== "") + 1;
    return `|${Array.from({ length }, (_, i) => ` ${row[i] ?? ""} |`).join("")}`;
  });
  lines.splice(1, 0, `|${" --- |".repeat(width)}`);
  return lines.join("\n");
}

/** Places the cells in rows and columns. */
function fillGrid(rows: readonly (readonly TableCell[])[]): string[][] {
  /** Number of further rows that are covered from above, by column. */
  const covered: number[] = [];
  return rows.map((cells) => {
    const row: string[] = [];
    const skipCovered = () => {
      while ((covered[row.length] ?? 0) > 0) {
        covered[row.length]!--;
        row.push("");
      }
    };
    for (const { text, columns = 1, rows: height = 1 } of cells) {
      skipCovered();
      for (let i = 0; i < Math.min(Math.max(columns, 1), MAX_COLUMNS - row.length); i++) {
        covered[row.length] = height - 1;
        row.push(i === 0 ? cellText(text) : "");
      }
    }
    skipCovered();
    return row;
  });
}

/** Returns the text of a cell on one line, with escaped column separators. */
export function cellText(text: string): string {
  return oneLine(text).replace(/(?<!\\)\|/g, "\\|");
}
