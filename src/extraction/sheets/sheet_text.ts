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
  /** Receives each block of lines, and throws if the text becomes too long. */
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
export function writeSheet(rows: Iterable<SheetRow>, { hasHeader = true, write }: WriteSheetOptions): void {
  const captions = hasHeader ? captionRows(rows) : 0;
  const used = new Set<number>();
  let [rowCount, cellCount] = [0, 0];
  for (const [index, { texts, columns }] of filledRows(rows)) {
    if (index < captions) {
      write(`${cellText(texts[0]!)}\n\n`);
      continue;
    }
    rowCount++;
    cellCount += texts.length;
    for (const column of columns) used.add(column);
  }
  if (rowCount === 0) return;

  const positions = new Map([...used].sort((a, b) => a - b).map((column, position) => [column, position]));
  const isSparse = positions.size * rowCount > 8 * cellCount + 10_000;
  const table = { hasHeader, positions, captions, rowCount, write };
  if (isSparse || positions.size > MAX_TABLE_COLUMNS) writeRecords(rows, table);
  else writeTable(rows, table);
}

interface FilledRow {
  readonly texts: readonly string[];
  readonly columns: readonly number[];
}

interface TableOptions extends Required<WriteSheetOptions> {
  /** Number of rows before the header. */
  readonly captions: number;
  /** Number of the other rows with text. */
  readonly rowCount: number;
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

/** Yields the rows with text, and their numbers among them. */
function* filledRows(rows: Iterable<SheetRow>): Generator<[number: number, row: FilledRow]> {
  let number = 0;
  for (const row of rows) {
    const filled = withoutEmptyCells(row);
    if (filled.texts.length > 0) yield [number++, filled];
  }
}

/** Returns the number of rows before the header of the table. */
function captionRows(rows: Iterable<SheetRow>): number {
  for (const [number, { texts }] of filledRows(rows)) {
    if (texts.length > 1) return number;
    if (number === MAX_CAPTION_ROWS) break;
  }
  return 0;
}

function writeTable(
  rows: Iterable<SheetRow>,
  { hasHeader, positions, captions, write }: TableOptions,
): void {
  const delimiter = `|${" --- |".repeat(positions.size)}`;
  const lines = hasHeader ? [] : [`|${"  |".repeat(positions.size)}`, delimiter];
  for (const [number, { texts, columns }] of filledRows(rows)) {
    if (number < captions) continue;
    let line = "|";
    let position = 0;
    for (const [i, text] of texts.entries()) {
      for (const own = positions.get(columns[i]!)!; position < own; position++) line += "  |";
      line += ` ${cellText(text)} |`;
      position++;
    }
    lines.push(line + "  |".repeat(positions.size - position));
    if (hasHeader && number === captions) lines.push(delimiter);
    if (lines.length >= LINES_PER_WRITE) write(`${lines.splice(0).join("\n")}\n`);
  }
  write(`${lines.join("\n")}\n\n`);
}

function writeRecords(
  rows: Iterable<SheetRow>,
  { hasHeader, positions, captions, rowCount, write }: TableOptions,
): void {
  const names = new Map<number, string>();
  const lines: string[] = [];
  for (const [number, { texts, columns }] of filledRows(rows)) {
    if (number < captions) continue;
    // A header that lacks names, or has longer ones, is not repeated.
    const isHeader = hasHeader && number === captions && texts.length === positions.size &&
      texts.every((text) => text.length <= MAX_NAME_CHARS);
    if (isHeader) { for (const [i, text] of texts.entries()) names.set(columns[i]!, cellText(text)); }
    if (isHeader && rowCount > 1) continue;
    const fields = texts.map((text, i) => {
      const name = isHeader ? undefined : names.get(columns[i]!);
      return name === undefined ? cellText(text) : `${name}: ${cellText(text)}`;
    });
    lines.push(`- ${fields.join("; ")}`);
    if (lines.length >= LINES_PER_WRITE) write(`${lines.splice(0).join("\n")}\n`);
  }
  write(`${lines.join("\n")}\n\n`);
}
