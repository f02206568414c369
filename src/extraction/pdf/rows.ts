import type { TextRun } from "./page.ts";

/** Text at one height of a cell. */
export interface Line {
  text: string;
  left: number;
  right: number;
  y: number;
  size: number;
  isBold: boolean;
  isMonospaced: boolean;
}

/** Lines under each other, with nothing between them: a paragraph, or a cell of a table. */
export interface Cell {
  readonly lines: Line[];
  left: number;
  right: number;
}

/** Cells next to each other, from left to right. Text without columns has one cell. */
export interface Row {
  readonly cells: Cell[];
  /** Baseline of the first line. */
  top: number;
  /** Baseline of the lowest line. */
  bottom: number;
}

/** Runs whose baselines differ by less, relative to the size of the font, are in one line. */
const SAME_LINE = 0.45;
/** A wider gap, relative to the size of the font, starts a cell. */
const CELL_GAP = 1;
/** Lines of a paragraph are closer than this, relative to the size of the font. */
const STACK_PITCH = 2.2;
/** Lines of a cell next to other cells are closer than this: the rows of a table are further apart. */
const CELL_PITCH = 1.3;

/**
 * Groups the runs of a page into rows of cells, in the order in which the page draws them. Programs draw a table row by
 * row, and cell by cell, but text in columns column by column: what is drawn next to a cell, at its height, before
 * anything below it, is its neighbour.
 */
export function toRows(runs: readonly TextRun[]): Row[] {
  const rows: Row[] = [];
  for (const run of runs) {
    const row = rows.at(-1);
    if (!row || !extendRow(rows, row, run)) rows.push(newRow(toLine(run)));
  }
  return rows;
}

function extendRow(rows: Row[], row: Row, run: TextRun): boolean {
  const cell = row.cells.at(-1)!;
  const line = cell.lines.at(-1)!;
  const em = Math.max(line.size, run.size);
  if (Math.abs(run.y - line.y) <= em * SAME_LINE && run.left >= line.left - em * SAME_LINE) {
    if (run.left - line.right <= em * CELL_GAP) {
      appendRun(line, run);
      cell.right = Math.max(cell.right, line.right);
      return true;
    }
    // A line of its own that turns out to be the first cell of a row.
    const target = cell.lines.length > 1 ? splitLast(rows, row) : row;
    target.cells.push(newCell(toLine(run)));
    return true;
  }
  if (run.left >= cell.right && run.y <= row.top + em / 2 && run.y >= row.bottom - em / 2) {
    row.cells.push(newCell(toLine(run)));
    row.bottom = Math.min(row.bottom, run.y);
    return true;
  }
  const drop = line.y - run.y;
  const left = row.cells.length > 1 ? row.cells.at(-2)!.right : -Infinity;
  const maxPitch = row.cells.length > 1 ? CELL_PITCH : STACK_PITCH;
  if (
    drop <= 0 || drop > em * maxPitch || run.left < left || run.left > cell.right || run.right < cell.left
  ) {
    return false;
  }
  cell.lines.push(toLine(run));
  cell.left = Math.min(cell.left, run.left);
  cell.right = Math.max(cell.right, run.right);
  row.bottom = Math.min(row.bottom, run.y);
  return true;
}

/** Moves the last line of a row into a row of its own. */
function splitLast(rows: Row[], row: Row): Row {
  const cell = row.cells.at(-1)!;
  const split = newRow(cell.lines.pop()!);
  cell.left = Math.min(...cell.lines.map(({ left }) => left));
  cell.right = Math.max(...cell.lines.map(({ right }) => right));
  row.bottom = Math.min(...row.cells.map(({ lines }) => lines.at(-1)!.y));
  rows.push(split);
  return split;
}

/** Adds a run to its line, with a space unless the runs touch. */
export function appendRun(line: Line, run: TextRun): void {
  const chars = line.text.length + run.text.length;
  const gap = run.left - line.right;
  line.text += (gap > line.size * 0.12 && !/\s$/.test(line.text) ? " " : "") + run.text;
  line.right = Math.max(line.right, run.right);
  line.left = Math.min(line.left, run.left);
  const weight = run.text.length * 2 > chars;
  if (weight) [line.isBold, line.isMonospaced] = [run.isBold, run.isMonospaced];
  if (run.size > line.size) line.size = run.size;
}

function toLine({ text, left, right, y, size, isBold, isMonospaced }: TextRun): Line {
  return { text, left, right, y, size, isBold, isMonospaced };
}

function newCell(line: Line): Cell {
  return { lines: [line], left: line.left, right: line.right };
}

function newRow(line: Line): Row {
  return { cells: [newCell(line)], top: line.y, bottom: line.y };
}
