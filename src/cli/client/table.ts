import Table from "cli-table3";
import { oneLine } from "../../text/mod.ts";
import type { Output } from "./output.ts";

/** A column of a table. */
export interface Column<Row> {
  readonly head: string;
  /** Returns the value of a row. It may come from a document. */
  readonly value: (row: Row) => string | number | null | undefined;
  /** @default {"left"} */
  readonly align?: "left" | "right";
  /** Minimum width of a column that is cut to fit the terminal, in columns. Default: it is never cut. */
  readonly minWidth?: number;
}

/** Width between two columns: two spaces, as the table adds one on each side. */
const GAP = 2;
const NO_BORDERS = {
  "top": "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  "bottom": "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  "left": "",
  "left-mid": "",
  "mid": "",
  "mid-mid": "",
  "right": "",
  "right-mid": "",
  "middle": "",
};

/** Returns the lines of a table, one per row, that fit the terminal. Columns without any value are left out. */
export function table<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { columns: width, colors, isTerminal }: Pick<Output, "columns" | "colors" | "isTerminal">,
): string[] {
  const cells = columns.map(({ value }) => rows.map((row) => oneLine(String(value(row) ?? ""))));
  const shown = [...columns.keys()].filter((at) => cells[at]?.some((cell) => cell !== ""));
  if (shown.length === 0) return [];
  const natural = shown.map((at) => widest([columns[at]?.head ?? "", ...cells[at] ?? []]));
  const minimums = shown.map((at) => columns[at]?.minWidth);
  const widths = isTerminal ? fit(natural, minimums, width - (shown.length - 1) * GAP) : natural;
  const layout = new Table({
    head: shown.map((at) => colors.dim(columns[at]?.head ?? "")),
    colWidths: widths.map((each) => each + GAP),
    colAligns: shown.map((at) => columns[at]?.align ?? "left"),
    chars: NO_BORDERS,
    style: { head: [], border: [], "padding-left": 0, "padding-right": GAP },
  });
  for (const row of rows.keys()) layout.push(shown.map((at) => cells[at]?.[row] ?? ""));
  return layout.toString().split("\n").map((line) => line.trimEnd());
}

/** Narrows the widest of the columns that may be cut until the table fits. */
function fit(natural: readonly number[], minimums: readonly (number | undefined)[], width: number): number[] {
  const widths = [...natural];
  for (let excess = sum(widths) - width; excess > 0; excess--) {
    const flexible = [...widths.keys()].filter((at) => (widths[at] ?? 0) > (minimums[at] ?? Infinity));
    const widestAt = flexible.reduce<number | undefined>(
      (best, at) => best === undefined || (widths[at] ?? 0) > (widths[best] ?? 0) ? at : best,
      undefined,
    );
    if (widestAt === undefined) break;
    widths[widestAt] = (widths[widestAt] ?? 0) - 1;
  }
  return widths;
}

/** Returns the width of the widest text. Two columns for each wide character (UAX #11) is enough for any text. */
function widest(texts: readonly string[]): number {
  return Math.max(
    1,
    ...texts.map((text) => [...text].reduce((width, char) => width + (char > "\u1100" ? 2 : 1), 0)),
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
