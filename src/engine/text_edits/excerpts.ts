import type { TextRange } from "../../extraction/mod.ts";
import { type ChangedText, lineAt } from "./changed_text.ts";

/** Lines of an edited text. */
export interface Excerpt {
  /** Number of its first line, from 1. */
  readonly line: number;
  /** Whole lines. Long ones are cut in the middle. */
  readonly text: string;
}

/** Maximum length of an excerpt in UTF-16 code units: about 200 tokens. */
const MAX_CHARS = 800;

/**
 * Returns the changed lines of a text, each with one line around it: enough to check an edit, while a second copy
 * of the note would cost its tokens again.
 */
export function excerpts({ text, changed }: ChangedText): Excerpt[] {
  const ranges: TextRange[] = [];
  for (const range of changed) {
    const lines = withNeighbors(text, trimBreaks(text, range));
    const last = ranges.at(-1);
    if (last && lines.start <= last.end + 1) {
      ranges[ranges.length - 1] = { start: last.start, end: Math.max(last.end, lines.end) };
    } else ranges.push(lines);
  }
  return ranges.map(({ start, end }) => ({ line: lineAt(text, start), text: cut(text.slice(start, end)) }));
}

/** A line break that ends or begins a change is not a changed line. */
function trimBreaks(text: string, { start, end }: TextRange): TextRange {
  while (start < end && text[start] === "\n") start++;
  while (start < end && text[end - 1] === "\n") end--;
  return { start, end };
}

/** Extends a range to whole lines, and by one more line at each end. */
function withNeighbors(text: string, { start, end }: TextRange): TextRange {
  const first = lineStart(text, Math.min(start, text.length));
  const last = lineEnd(text, Math.min(end, text.length));
  return {
    start: first === 0 ? 0 : lineStart(text, first - 1),
    end: last >= text.length ? text.length : lineEnd(text, last + 1),
  };
}

function lineStart(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf("\n", offset - 1) + 1;
}

function lineEnd(text: string, offset: number): number {
  const newline = text.indexOf("\n", offset);
  return newline < 0 ? text.length : newline;
}

function cut(text: string): string {
  if (text.length <= MAX_CHARS) return text;
  const half = MAX_CHARS / 2;
  return `${text.slice(0, half).toWellFormed()} … ${text.slice(-half).toWellFormed()}`;
}
