import type { TextRange } from "../../extraction/mod.ts";

/** A text with the ranges in which it differs from an earlier one. */
export interface ChangedText {
  readonly text: string;
  /** Ascending, and not overlapping. Empty where text was removed. */
  readonly changed: readonly TextRange[];
}

/** Replaces a range of a text. Earlier changes move with the text around them. */
export function spliceText(
  { text, changed }: ChangedText,
  { start, end }: TextRange,
  replacement: string,
): ChangedText {
  const shift = replacement.length - (end - start);
  const before = changed.filter((range) => range.end < start);
  const after = changed.filter((range) => range.start > end)
    .map((range) => ({ start: range.start + shift, end: range.end + shift }));
  const touched = changed.filter((range) => range.end >= start && range.start <= end);
  const merged = {
    start: Math.min(start, ...touched.map((range) => range.start)),
    end: Math.max(end, ...touched.map((range) => range.end)) + shift,
  };
  return {
    text: text.slice(0, start) + replacement + text.slice(end),
    changed: [...before, merged, ...after],
  };
}

/** Returns the line of an offset, from 1. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < offset; at = text.indexOf("\n", at + 1)) line++;
  return line;
}
