import { cellText } from "../markdown/table.ts";
import { MAX_TABLE_COLUMNS } from "../limits.ts";

/** A row of a sheet or CSV file: the cells that are not empty. */
export interface SheetRow {
  /** Texts of the cells. */
  readonly texts: readonly string[];
  /** Ascending column numbers of the cells, from 0. Default: 0, 1, 2, … */
  readonly columns?: readonly number[];
}

/** Options of {@linkcode writeSheet}. */
export interface WriteSheetOptions {
  /** Whether the first row names the columns; otherwise the table gets an empty header row. @default {true} */
  readonly hasHeader?: boolean;
  /** Receives each block, and throws if the text becomes too long. */
  readonly write: (text: string) => void;
}

/** Maximum number of rows with one cell before a table that become its caption. */
const MAX_CAPTION_ROWS = 10;
/** Maximum length of a column name that each record repeats. */
const MAX_NAME_CHARS = 60;
/** Lines are written in groups of this many. */
const LINES_PER_WRITE = 1_000;

/**
 * Writes rows as a Markdown table whose header is the first row with more than one cell; those before it become
 * paragraphs. Empty rows and columns are left out, other empty cells are kept.
 *
 * A sheet with hundreds of columns, or with mostly empty cells, is written as a list with one item per row
 * (`Name: value; Name: value`): a table would exceed each chunk by far.
 */
export function writeSheet(rows: readonly SheetRow[], { hasHeader = true, write }: WriteSheetOptions): void {
  const filled = rows.map(withoutEmptyCells).filter(({ texts }) => texts.length > 0);
  const start = hasHeader ? captionRows(filled) : 0;
  for (const { texts } of filled.slice(0, start)) write(`${cellText(texts[0]!)}\n\n`);
  const table = start === 0 ? filled : filled.slice(start);
  if (table.length === 0) return;

  const positions = columnPositions(table);
  const cells = table.reduce((sum, { texts }) => sum + texts.length, 0);
  const isSparse = positions.size * table.length > 8 * cells + 10_000;
  if (isSparse || positions.size > MAX_TABLE_COLUMNS) writeRecords(table, { hasHeader, positions, write });
  else writeTable(table, { hasHeader, positions, write });
}

interface FilledRow {
  readonly texts: readonly string[];
  readonly columns: readonly number[];
}

interface TableOptions extends Required<WriteSheetOptions> {
  /** Position in the table of each column that is not empty. */
  readonly positions: ReadonlyMap<number, number>;
}

function withoutEmptyCells(row: SheetRow): FilledRow {
  const { texts, columns = ascending(row.texts.length) } = row;
  const isFilled = texts.every((text, i) => columns[i]! > (columns[i - 1] ?? -1) && /\S/.test(text));
  // Most rows: a copy would take as much memory again.
  if (isFilled) return { texts, columns };
  const kept: FilledRow & { texts: string[]; columns: number[] } = { texts: [], columns: [] };
  for (const [i, text] of texts.entries()) {
    const column = columns[i]!;
    // Damaged files have several cells in one place, or in a wrong order.
    if (!/\S/.test(text)) continue;
    if (column <= (kept.columns.at(-1) ?? -1)) return withoutEmptyCells(inOrder(texts, columns));
    kept.texts.push(text);
    kept.columns.push(column);
  }
  return kept;
}

/** The numbers from 0 to below a length, of which a file has few. */
function ascending(length: number): readonly number[] {
  let numbers = ASCENDING.get(length);
  if (!numbers) {
    numbers = Array.from({ length }, (_, i) => i);
    if (ASCENDING.size < 100) ASCENDING.set(length, numbers);
  }
  return numbers;
}

const ASCENDING = new Map<number, readonly number[]>();

/** Sorts cells by their columns, and joins those of the same column. */
function inOrder(texts: readonly string[], columns: readonly number[]): SheetRow {
  const cells = new Map<number, string[]>();
  for (const [i, text] of texts.entries()) {
    const column = columns[i]!;
    const others = cells.get(column);
    if (others) others.push(text);
    else cells.set(column, [text]);
  }
  const sorted = [...cells].sort(([a], [b]) => a - b);
  return { texts: sorted.map(([, each]) => each.join(" ")), columns: sorted.map(([column]) => column) };
}

/** Returns the number of rows before the header of the table. */
function captionRows(rows: readonly FilledRow[]): number {
  const header = rows.findIndex(({ texts }) => texts.length > 1);
  return header > 0 && header <= MAX_CAPTION_ROWS ? header : 0;
}

function columnPositions(rows: readonly FilledRow[]): Map<number, number> {
  const used = new Set<number>();
  for (const { columns } of rows) for (const column of columns) used.add(column);
  return new Map([...used].sort((a, b) => a - b).map((column, position) => [column, position]));
}

function writeTable(rows: readonly FilledRow[], { hasHeader, positions, write }: TableOptions): void {
  const delimiter = `|${" --- |".repeat(positions.size)}`;
  const lines = hasHeader ? [] : [`|${"  |".repeat(positions.size)}`, delimiter];
  for (const [index, { texts, columns }] of rows.entries()) {
    let line = "|";
    let position = 0;
    for (const [i, text] of texts.entries()) {
      for (const own = positions.get(columns[i]!)!; position < own; position++) line += "  |";
      line += ` ${cellText(text)} |`;
      position++;
    }
    lines.push(line + "  |".repeat(positions.size - position));
    if (hasHeader && index === 0) lines.push(delimiter);
    if (lines.length >= LINES_PER_WRITE) write(`${lines.splice(0).join("\n")}\n`);
  }
  write(`${lines.join("\n")}\n\n`);
}

function writeRecords(rows: readonly FilledRow[], { hasHeader, positions, write }: TableOptions): void {
  const names = new Map<number, string>();
  for (const [i, column] of (hasHeader ? rows[0]!.columns : []).entries()) {
    names.set(column, cellText(rows[0]!.texts[i]!).slice(0, MAX_NAME_CHARS));
  }
  const isHeaderOnly = rows.length === 1;
  const lines: string[] = [];
  // A header that is longer than the names is a record as well: nothing is lost.
  const isRepeated = hasHeader && rows[0]!.texts.every((text) => text.length <= MAX_NAME_CHARS) &&
    names.size === positions.size;
  for (const { texts, columns } of isRepeated && !isHeaderOnly ? rows.slice(1) : rows) {
    const fields = texts.map((text, i) => {
      const name = names.get(columns[i]!);
      return name === undefined || rows[0]!.texts === texts ? cellText(text) : `${name}: ${cellText(text)}`;
    });
    lines.push(`- ${fields.join("; ")}`);
    if (lines.length >= LINES_PER_WRITE) write(`${lines.splice(0).join("\n")}\n`);
  }
  write(`${lines.join("\n")}\n\n`);
}
