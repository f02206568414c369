import type { HtmlElement } from "./element.ts";
import { ELEMENT, following, followingSubtree, type HtmlNode } from "./node.ts";

/** Maximum number of columns, and of rows that a cell covers. */
const MAX_SPAN = 100;
/** Elements that show that a table is used for the layout of a page. */
const LAYOUT_CONTENT = new Set("TABLE H1 H2 H3 H4 H5 H6 PRE BLOCKQUOTE UL OL FORM".split(" "));

/** Columns of a table. */
export interface TableGrid {
  /** Whether the table arranges parts of a page: its cells are blocks. */
  readonly isLayout: boolean;
  readonly columns: number;
  /** The first row with cells. */
  readonly header: HtmlNode | undefined;
  /** Column after the last cell of each row. */
  readonly ends: ReadonlyMap<HtmlNode, number>;
  /** Number of columns that a cell covers, and that cells of former rows cover before it. */
  readonly cells: ReadonlyMap<HtmlNode, { readonly before: number; readonly columns: number }>;
}

/** Places the cells of a table in columns. Text of a cell that covers several of them is written once. */
export function tableGrid(table: HtmlElement): TableGrid {
  const rows = rowsOf(table);
  const cells = new Map<HtmlNode, { before: number; columns: number }>();
  const ends = new Map<HtmlNode, number>();
  /** Number of further rows that a cell covers, by column. */
  const covered: number[] = [];
  let columns = 0;
  for (const row of rows) {
    let column = 0;
    for (const cell of cellsOf(row)) {
      let before = 0;
      for (; (covered[column] ?? 0) > 0 && column < MAX_SPAN; column++, before++) covered[column]!--;
      const span = spanOf(cell, "colspan");
      const rowSpan = spanOf(cell, "rowspan");
      for (let i = 0; i < span; i++) covered[column + i] = rowSpan - 1;
      cells.set(cell, { before, columns: span });
      column += span;
    }
    ends.set(row, column);
    for (let i = column; i < covered.length; i++) if (covered[i]! > 0) covered[i]!--;
    columns = Math.max(columns, column);
  }
  const header = rows.find((row) => cellsOf(row).some(({ textContent }) => textContent.trim() !== ""));
  return { isLayout: isLayout(table, rows, columns), columns, header, ends, cells };
}

function isLayout(table: HtmlElement, rows: readonly HtmlElement[], columns: number): boolean {
  if (/^(?:presentation|none)$/.test(table.getAttribute("role") ?? "")) return true;
  const hasHeader = rows.some((row) => cellsOf(row).some(({ nodeName }) => nodeName === "TH"));
  if (rows.length === 0 || (columns <= 1 && !hasHeader)) return true;
  for (let node = table.firstChild; node; node = following(node, table)) {
    if (node.nodeType !== ELEMENT || !LAYOUT_CONTENT.has(node.nodeName)) continue;
    if (node.nodeName === "TABLE" || !hasHeader) return true;
  }
  return false;
}

/** Returns the rows of a table, without those of tables in it. */
function rowsOf(table: HtmlElement): HtmlElement[] {
  const rows: HtmlElement[] = [];
  for (let node = table.firstChild; node;) {
    if (node.nodeName === "TR") rows.push(node as HtmlElement);
    node = node.nodeName === "TABLE" || node.nodeName === "TR"
      ? followingSubtree(node, table)
      : following(node, table);
  }
  return rows;
}

function cellsOf(row: HtmlElement): HtmlElement[] {
  return row.children.filter(({ nodeName }) => nodeName === "TD" || nodeName === "TH") as HtmlElement[];
}

function spanOf(cell: HtmlElement, name: string): number {
  const span = Number.parseInt(cell.getAttribute(name) ?? "", 10);
  return span >= 1 ? Math.min(span, MAX_SPAN) : 1;
}
