import { appendRun, type Line, type Row, toRows } from "./rows.ts";
import type { TextRun } from "./page.ts";
import { findGrid, type Table } from "./tables.ts";

/** A part of a page in reading order. */
export type Block =
  | { readonly kind: "text"; readonly lines: readonly Line[] }
  /** Lines in a font with fixed width, with their indentation. */
  | { readonly kind: "code"; readonly lines: readonly Line[] }
  | { readonly kind: "table"; readonly table: Table };

/** A larger distance between lines, relative to the usual one, starts a paragraph. */
const PARAGRAPH_PITCH = 1.3;
/** Sizes of fonts that differ by more are different. */
const SIZE_TOLERANCE = 0.07;
/** Width of a character of a font with fixed width, relative to its size, if it cannot be measured. */
const FIXED_WIDTH = 0.6;
/** Maximum indentation of code that is kept, in characters. */
const MAX_INDENT = 80;
/** Start of a list item: a bullet, or a number or letter with a mark. */
export const LIST_ITEM =
  /^(?:[•◦▪▫●○■‣⁃∙➢➤❖♦–—*-]|[\ue000-\uf8ff])\s+(?=\S)|^[([]?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})[.)\]]\s+(?=\S)/u;
const BULLET_ONLY = /^(?:[•◦▪▫●○■‣⁃∙➢➤❖♦]|[\ue000-\uf8ff])$/u;
const SENTENCE_END = /[.!?:;。！？：；؟۔।][)\]"'”’»」』]*$/u;

/** Splits a page into blocks. `hasCode` says whether fixed-width fonts mark code. */
export function toBlocks(runs: readonly TextRun[], { hasCode }: { hasCode: boolean }): Block[] {
  const rows = toRows(runs);
  const blocks: Block[] = [];
  let lines: Line[] = [];
  const flush = () => {
    blocks.push(...splitLines(lines, hasCode));
    lines = [];
  };
  let at = 0;
  for (let grid = findGrid(rows, 0); at < rows.length; grid = findGrid(rows, at)) {
    for (const row of rows.slice(at, grid?.start)) lines.push(...flatten(row, hasCode));
    if (!grid) break;
    if (grid.table) {
      flush();
      blocks.push({ kind: "table", table: grid.table });
    }
    for (const column of grid.columns ?? []) lines.push(...column.flatMap((cell) => cell.lines));
    at = grid.end;
  }
  flush();
  return blocks;
}

/** Returns the lines of a row that is not in a table. */
function flatten({ cells }: Row, hasCode: boolean): Line[] {
  if (cells.length === 1) return cells[0]!.lines;
  const [marker, item] = cells;
  if (cells.length === 2 && marker!.lines.length === 1 && LIST_ITEM.test(`${marker!.lines[0]!.text} x`)) {
    const first = { ...marker!.lines[0]! };
    appendRun(first, item!.lines[0]!);
    return [first, ...item!.lines.slice(1)];
  }
  if (cells.some(({ lines }) => lines.length > 1)) return cells.flatMap(({ lines }) => lines);
  const line = { ...cells[0]!.lines[0]! };
  for (const { lines: [next] } of cells.slice(1)) {
    if (hasCode && line.isMonospaced && next!.isMonospaced) {
      const column = Math.round((next!.left - line.left) / charWidth([line]));
      line.text = line.text.padEnd(Math.min(column, line.text.length + MAX_INDENT));
    }
    appendRun(line, next!);
  }
  return [line];
}

function splitLines(lines: readonly Line[], hasCode: boolean): Block[] {
  const pitch = medianPitch(lines);
  const blocks: Line[][] = [];
  for (const line of lines) {
    const block = blocks.at(-1);
    if (!block || startsBlock(block, line, { pitch, hasCode })) blocks.push([line]);
    else block.push(line);
  }
  return blocks.map((block) =>
    hasCode && block[0]!.isMonospaced
      ? { kind: "code", lines: indented(block) }
      : { kind: "text", lines: block }
  );
}

function startsBlock(
  block: readonly Line[],
  line: Line,
  { pitch, hasCode }: { pitch: number; hasCode: boolean },
): boolean {
  const last = block.at(-1)!;
  const em = Math.max(last.size, line.size);
  if (hasCode && last.isMonospaced !== line.isMonospaced) return true;
  const drop = last.y - line.y;
  if (hasCode && line.isMonospaced) return drop <= 0 || drop > Math.max(pitch, em * 1.2) * 4;
  if (Math.abs(last.size - line.size) > em * SIZE_TOLERANCE) return true;
  if (last.isBold !== line.isBold && (block.length < 3 || line.isBold)) return true;
  if (LIST_ITEM.test(line.text) || BULLET_ONLY.test(line.text)) return true;
  const isOpen = !SENTENCE_END.test(last.text);
  // The next column, or text that is drawn elsewhere: a sentence may continue in it.
  if (drop <= 0) return !(isOpen && /^\p{Ll}/u.test(line.text));
  const usual = pitch > 0 ? Math.min(pitch, em * 2) : em * 1.25;
  if (drop > Math.max(usual, em) * PARAGRAPH_PITCH) return true;
  const isIndented = line.left > last.left + em * 0.8 && line.left < last.left + em * 5;
  return isIndented && !isOpen && !LIST_ITEM.test(block[0]!.text);
}

/** Returns the median distance between lines, or 0 with fewer than 3 distances. */
function medianPitch(lines: readonly Line[]): number {
  const drops: number[] = [];
  for (let i = 1; i < lines.length; i++) {
    const drop = lines[i - 1]!.y - lines[i]!.y;
    if (drop > 0) drops.push(drop);
  }
  drops.sort((a, b) => a - b);
  return drops.length < 3 ? 0 : drops[drops.length >> 1]!;
}

/** Returns lines of code with spaces for their indentation, and an empty line for each larger gap. */
function indented(block: readonly Line[]): Line[] {
  const left = Math.min(...block.map((line) => line.left));
  const width = charWidth(block);
  const lines: Line[] = [];
  for (const [index, line] of block.entries()) {
    const drop = index === 0 ? 0 : block[index - 1]!.y - line.y;
    if (drop > line.size * 1.9) lines.push({ ...line, text: "" });
    const indent = Math.min(Math.round((line.left - left) / width), MAX_INDENT);
    lines.push({ ...line, text: " ".repeat(indent) + line.text });
  }
  return lines;
}

function charWidth(lines: readonly Line[]): number {
  let longest = lines[0]!;
  for (const line of lines) if (line.text.length > longest.text.length) longest = line;
  const width = (longest.right - longest.left) / longest.text.length;
  return longest.text.length >= 4 && width > 0 ? width : longest.size * FIXED_WIDTH;
}
