import { MAX_SHEET_COLUMNS } from "../limits.ts";

/** Position of a cell: row and column from 0. */
export interface CellPosition {
  readonly row: number;
  readonly column: number;
}

/** Maximum length of an address that is kept with a cell. */
const MAX_LINK_CHARS = 2_000;

/** Parses the reference of a cell, or the first one of a range: `B12`, `B12:C14`. */
export function parseReference(reference: string | undefined): CellPosition | undefined {
  const found = /^\$?([A-Za-z]{1,3})\$?(\d{1,7})(?::|$)/.exec(reference ?? "");
  if (!found) return undefined;
  let column = 0;
  for (const letter of found[1]!.toUpperCase()) column = column * 26 + letter.charCodeAt(0) - 64;
  return column > MAX_SHEET_COLUMNS ? undefined : { row: Number(found[2]) - 1, column: column - 1 };
}

/** Returns the reference of a cell: `B12`. */
export function referenceOf({ row, column }: CellPosition): string {
  let letters = "";
  for (let left = column + 1; left > 0; left = Math.floor((left - 1) / 26)) {
    letters = String.fromCharCode(65 + (left - 1) % 26) + letters;
  }
  return `${letters}${row + 1}`;
}

/** Returns the text of a cell as a Markdown link, unless the address is the text. */
export function linkText(text: string, address: string): string {
  const target = address.trim();
  const isExternal = /^(?:https?|ftp|mailto|tel):[^\s<>()]+$/i.test(target) &&
    target.length <= MAX_LINK_CHARS;
  const isShown = text.includes(target) || `mailto:${text}` === target;
  return !isExternal || isShown || text.trim() === ""
    ? text
    : `[${text.replace(/[[\]]/g, "\\$&")}](${target})`;
}
