/** Number of unchanged lines around a change. */
const CONTEXT = 2;

/**
 * Returns the difference of two texts as lines with `+`, `-` or a space in front: one block from the first to the last
 * changed line.
 *
 * @example
 * ```ts
 * import { lineDiff } from "./diff.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(lineDiff("a\nb\nc\n", "a\nB\nc\n"), " a\n-b\n+B\n c\n");
 * ```
 */
export function lineDiff(before: string, after: string): string {
  const [old, changed] = [before, after].map(linesOf) as [string[], string[]];
  const shortest = Math.min(old.length, changed.length);
  let start = 0;
  while (start < shortest && old[start] === changed[start]) start++;
  let end = 0;
  while (end < shortest - start && old.at(-1 - end) === changed.at(-1 - end)) end++;
  const lines = [
    ...old.slice(Math.max(0, start - CONTEXT), start).map((line) => ` ${line}`),
    ...old.slice(start, old.length - end).map((line) => `-${line}`),
    ...changed.slice(start, changed.length - end).map((line) => `+${line}`),
    ...old.slice(old.length - end, old.length - end + CONTEXT).map((line) => ` ${line}`),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
