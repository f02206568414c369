import { joinLines } from "./join_lines.ts";
import type { Cell, Row } from "./rows.ts";

/** A table with as many cells in each row as it has columns; empty strings for empty cells. */
export interface Table {
  readonly rows: readonly (readonly string[])[];
}

/** Rows of a page that are a table, or text in columns. `end` is exclusive. */
export interface Grid {
  readonly start: number;
  readonly end: number;
  readonly table?: Table;
  /** Rows of text in columns, drawn across them: to be read column by column. */
  readonly columns?: readonly (readonly Cell[])[];
}

/** Longer grids are read as lines: comparing their cells takes quadratic time. */
const MAX_ROWS = 400;
const MAX_COLUMNS = 40;
/** Minimum share of filled cells. */
const MIN_FILLED = 0.4;
/** Text in columns has longer cells than a table, in words. */
const MIN_PROSE_WORDS = 4.5;
/** Maximum mean length of a cell in characters. Longer ones are a page layout. */
const MAX_CELL_CHARS = 220;
/** A marker of a list item. */
const MARKER = /^(?:[•◦▪▫●○■‣⁃∙·*–—-]|\p{Co}|[([]?(?:\d{1,3}|[a-zA-Z]|[ivxlcIVXLC]{1,5})[.)\]]|\[\d+\])$/u;
const LEADERS = /(?:\.\s?){4,}|…{2,}/;

/** Finds the next table or text in columns at or after row `from`. */
export function findGrid(rows: readonly Row[], from: number): Grid | undefined {
  for (let start = from; start < rows.length; start++) {
    if (rows[start]!.cells.length < 2) continue;
    let end = start + 1;
    while (end < rows.length && end - start < MAX_ROWS && continues(rows, start, end)) end++;
    const grid = end - start > 1 ? readGrid(rows.slice(start, end)) : undefined;
    if (grid) return { start, end, ...grid };
    start = end - 1;
  }
  return undefined;
}

/** Whether a row belongs to the grid above it. */
function continues(rows: readonly Row[], start: number, index: number): boolean {
  const row = rows[index]!;
  const above = rows[index - 1]!;
  const em = above.cells[0]!.lines[0]!.size;
  if (row.top >= above.bottom || above.bottom - row.top > em * 5) return false;
  if (row.cells.length > 1) return true;
  // A row with a single filled cell, between others: it must fit into one column.
  const next = rows[index + 1];
  if (!next || next.cells.length < 2 || next.top >= row.bottom || row.bottom - next.top > em * 3) {
    return false;
  }
  const [cell] = row.cells;
  if (cell!.lines.length > 3) return false;
  return rows.slice(start, index).every(({ cells }) =>
    cells.filter((each) => overlaps(each, cell!)).length < 2
  );
}

function readGrid(rows: readonly Row[]): Pick<Grid, "table" | "columns"> | undefined {
  const cells = rows.flatMap((row) => row.cells);
  // Before their columns are searched, which compares all cells with each other.
  if (cells.length > rows.length * MAX_COLUMNS) return undefined;
  if (cells.every(({ lines }) => lines.every(({ isMonospaced }) => isMonospaced))) return undefined;
  const columns = findColumns(rows);
  if (columns.length < 2 || columns.length > MAX_COLUMNS) return undefined;
  const assigned = rows.map((row) => assign(row, columns));
  const conflicts = assigned.filter((row) => row.some((each) => each.length > 1)).length;
  if (conflicts > rows.length * 0.2) return undefined;
  if (isProse(rows, columns.length)) {
    return { columns: columns.map((_, column) => assigned.flatMap((row) => row[column]!)) };
  }
  const wide = rows.filter((row) => row.cells.length > 1).length;
  if (wide < 3 && (wide < 2 || columns.length < 3)) return undefined;
  if (isContents(rows) || isList(assigned)) return undefined;
  const text = mergeContinuations(rows, assigned.map((row) => row.map(cellText)));
  const filled = text.reduce((sum, row) => sum + row.filter((each) => each !== "").length, 0);
  const chars = text.reduce((sum, row) => sum + row.reduce((length, each) => length + each.length, 0), 0);
  if (filled < text.length * columns.length * MIN_FILLED || chars > filled * MAX_CELL_CHARS) return undefined;
  return { table: { rows: text } };
}

interface Interval {
  left: number;
  right: number;
}

function overlaps(a: Interval, b: Interval): boolean {
  return a.left < b.right && b.left < a.right;
}

/** Columns are the unions of cells above each other, without those that span several cells of another row. */
function findColumns(rows: readonly Row[]): Interval[] {
  const single: Interval[] = [];
  for (const row of rows) {
    for (const cell of row.cells) {
      const spans = rows.some((other) =>
        other !== row && other.cells.filter((each) => overlaps(each, cell)).length > 1
      );
      if (!spans) single.push(cell);
    }
  }
  single.sort((a, b) => a.left - b.left);
  const columns: Interval[] = [];
  for (const { left, right } of single) {
    const last = columns.at(-1);
    if (last && left < last.right) last.right = Math.max(last.right, right);
    else columns.push({ left, right });
  }
  return columns;
}

/** Returns the cells of a row by column. A cell over several columns counts for the first. */
function assign(row: Row, columns: readonly Interval[]): Cell[][] {
  const assigned: Cell[][] = columns.map(() => []);
  for (const cell of row.cells) {
    const first = columns.findIndex((column) => overlaps(column, cell));
    assigned[first < 0 ? columns.length - 1 : first]!.push(cell);
  }
  return assigned;
}

function cellText(cells: readonly Cell[]): string {
  return cells.flatMap(({ lines }) => lines.map(({ text }) => text)).join(" ").replace(
    /(\p{Ll})- (?=\p{Ll})/gu,
    "$1",
  );
}

/** Adds rows without a first cell, close to the row above, to that row: its cells have several lines. */
function mergeContinuations(rows: readonly Row[], text: readonly string[][]): string[][] {
  const merged: string[][] = [];
  text.forEach((cells, index) => {
    const above = rows[index - 1];
    const row = rows[index]!;
    const last = merged.at(-1);
    const isClose = above !== undefined && above.bottom - row.top < row.cells[0]!.lines[0]!.size * 1.3;
    const isPartial = cells[0] === "" && last?.every((each, column) => each !== "" || cells[column] === "");
    if (last && isClose && isPartial) {
      cells.forEach((each, column) => {
        if (each !== "") last[column] = last[column] === "" ? each : joinLines(last[column]!, each);
      });
    } else merged.push([...cells]);
  });
  return merged;
}

/** Whether the cells are lines of text in two or three columns. */
function isProse(rows: readonly Row[], columns: number): boolean {
  if (columns > 3 || rows.length < 4) return false;
  const cells = rows.flatMap((row) => row.cells);
  if (cells.some(({ lines }) => lines.length > 2)) return false;
  const words = cells.map(({ lines }) => lines[0]!.text.split(" ").length);
  const continued = cells.filter(({ lines }) => /^\p{Ll}/u.test(lines[0]!.text)).length;
  return words.reduce((sum, each) => sum + each, 0) > cells.length * MIN_PROSE_WORDS &&
    continued > cells.length * 0.35;
}

/** Whether the rows are entries of a table of contents. */
function isContents(rows: readonly Row[]): boolean {
  const leaders = rows.filter((row) => row.cells.some(({ lines }) => LEADERS.test(lines[0]!.text))).length;
  const numbered = rows.filter((row) => {
    return row.cells.length === 2 && /^(?:\d{1,4}|[ivxlc]{1,6})$/.test(row.cells[1]!.lines[0]!.text) &&
      /\p{L}{2}/u.test(row.cells[0]!.lines[0]!.text);
  }).length;
  return leaders > rows.length * 0.4 || (numbered === rows.length && isAscending(rows));
}

function isAscending(rows: readonly Row[]): boolean {
  const numbers = rows.map((row) => Number(row.cells[1]!.lines[0]!.text)).filter((each) =>
    !Number.isNaN(each)
  );
  return numbers.length > 3 && numbers.every((each, index) => index === 0 || each >= numbers[index - 1]!);
}

/** Whether the first column of two has only the markers of list items. */
function isList(assigned: readonly Cell[][][]): boolean {
  return assigned[0]!.length === 2 &&
    assigned.every(([first]) => first!.every(({ lines }) => MARKER.test(lines[0]!.text)));
}
