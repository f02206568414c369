import type { TextRange } from "./types.ts";

const PIPE = 0x7c, BACKSLASH = 0x5c, DASH = 0x2d, COLON = 0x3a, SPACE = 0x20, TAB = 0x09;

/**
 * Whether a line is the delimiter row of a table whose header row is the last line of the open block (GitHub Flavored
 * Markdown 0.29 §4.10): `|---|:-:|` with as many cells as the header row.
 */
export function isDelimiterRow(
  text: string,
  row: TextRange,
  { lastLine, end }: { readonly lastLine: number; readonly end: number },
): boolean {
  let hasDash = false;
  let hasPipe = false;
  for (let at = row.start; at < row.end; at++) {
    const code = text.charCodeAt(at);
    if (code === DASH) hasDash = true;
    else if (code === PIPE) hasPipe = true;
    else if (code !== COLON && code !== SPACE && code !== TAB) return false;
  }
  return hasDash && hasPipe && countCells(text, { start: lastLine, end }) === countCells(text, row);
}

/** Returns the number of cells of a row. A pipe after a backslash belongs to a cell. */
function countCells(text: string, { start, end }: TextRange): number {
  let pipes = 0;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === PIPE) pipes++;
  }
  const hasEnd = end - start > 1 && text.charCodeAt(end - 1) === PIPE &&
    text.charCodeAt(end - 2) !== BACKSLASH;
  return pipes + 1 - (text.charCodeAt(start) === PIPE ? 1 : 0) - (hasEnd ? 1 : 0);
}
