import { escapeInvisible } from "../text/mod.ts";

/**
 * Formats a number with its noun: `1 file`, `1,200 files`.
 *
 * @example
 * ```ts
 * import { counted } from "./format.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals([counted(1, "file"), counted(1200, "file")], ["1 file", "1,200 files"]);
 * ```
 */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}

/** Formats a size: `1.5 MiB`. */
export function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}

/** Formats a value as indented JSON, which contains no control or invisible character but its line ends. */
export function formatJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2).split("\n").map(escapeInvisible).join("\n")}\n`;
}

/** Formats rows of the same length as lines, with cells of a column below each other. */
export function alignColumns(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]!.length))) ?? [];
  return rows.map((row) => `${row.map((cell, at) => cell.padEnd(widths[at]!)).join("  ").trimEnd()}\n`).join(
    "",
  );
}
