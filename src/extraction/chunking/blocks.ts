import { skipSpace, skipSpaceBack } from "../whitespace.ts";
import type { ChunkSource, TextRange } from "./types.ts";

/** Consecutive lines that belong together. Offsets exclude white space at both ends. */
export interface Block {
  readonly kind: "heading" | "fence" | "paragraph";
  readonly start: number;
  readonly end: number;
  /** Level of a heading, 1 to 6; 0 for other blocks. */
  readonly level: number;
  /** Start of a heading's text after its markers; equal to `start` for other blocks. */
  readonly titleStart: number;
  /** End of a heading's text; equal to `end` for other blocks. */
  readonly titleEnd: number;
}

/**
 * Scans a range of text for its blocks, in order: headings and fenced code of Markdown (CommonMark 0.31 §4.2,
 * §4.3, §4.5), and paragraphs, which end at an empty line. Plain text has only paragraphs.
 *
 * Keeps no list, so that a text with a million headings needs no memory.
 *
 * @param range Must start at the beginning of a line outside of a fence. Default: the whole text.
 */
export function* scanBlocks(
  { text, markup }: Pick<ChunkSource, "text" | "markup">,
  { start, end }: TextRange = { start: 0, end: text.length },
): Generator<Block> {
  const isMarkdown = markup === "markdown";
  let blockStart = -1; // of the open paragraph or fence; -1 without one
  let blockEnd = -1;
  let paragraphLines = 0;
  let fence: Fence | undefined;

  for (let lineStart = start; lineStart < end;) {
    const newline = text.indexOf("\n", lineStart);
    const nextLine = newline < 0 || newline >= end ? end : newline + 1;
    const first = skipSpace(text, lineStart, nextLine);
    const last = skipSpaceBack(text, first, nextLine);

    if (fence) {
      if (closesFence(text, first, last, fence)) {
        yield createBlock("fence", blockStart, last);
        fence = undefined;
        blockStart = -1;
      } else blockEnd = first < last ? last : blockEnd;
    } else if (first === last) {
      if (blockStart >= 0) yield createBlock("paragraph", blockStart, blockEnd);
      blockStart = -1;
    } else {
      const opened = isMarkdown ? parseFenceStart(text, first, last) : undefined;
      const heading = isMarkdown ? parseAtxHeading(text, lineStart, first, last) : undefined;
      const setextLevel = isMarkdown && blockStart >= 0 && paragraphLines === 1
        ? parseSetextUnderline(text, lineStart, first, last)
        : 0;
      if (setextLevel > 0 && !isListOrTable(text, blockStart)) {
        yield {
          kind: "heading",
          start: blockStart,
          end: last,
          level: setextLevel,
          titleStart: blockStart,
          titleEnd: blockEnd,
        };
        blockStart = -1;
      } else if (opened || heading) {
        if (blockStart >= 0) yield createBlock("paragraph", blockStart, blockEnd);
        blockStart = -1;
        if (heading) yield heading;
        else {
          fence = opened;
          blockStart = first;
          blockEnd = last;
        }
      } else {
        paragraphLines = blockStart < 0 ? 1 : paragraphLines + 1;
        if (blockStart < 0) blockStart = first;
        blockEnd = last;
      }
    }
    lineStart = nextLine;
  }
  // An unclosed fence ends with the document (CommonMark §4.5).
  if (blockStart >= 0) yield createBlock(fence ? "fence" : "paragraph", blockStart, blockEnd);
}

function createBlock(kind: "fence" | "paragraph", start: number, end: number): Block {
  return { kind, start, end, level: 0, titleStart: start, titleEnd: end };
}

interface Fence {
  readonly marker: number;
  readonly length: number;
}

const HASH = 0x23, BACKTICK = 0x60, TILDE = 0x7e, EQUALS = 0x3d, DASH = 0x2d;

function runLength(text: string, start: number, end: number, marker: number): number {
  let at = start;
  while (at < end && text.charCodeAt(at) === marker) at++;
  return at - start;
}

function parseFenceStart(text: string, first: number, last: number): Fence | undefined {
  // A fence can start inside a list item ("- ```sh"); if it were missed, its end would be taken for a start.
  const item = /^(?:(?:[-*+]|\d{1,9}[.)])[ \t]{1,8})+/.exec(text.slice(first, Math.min(last, first + 40)));
  const at = first + (item?.[0].length ?? 0);
  const marker = text.charCodeAt(at);
  if (marker !== BACKTICK && marker !== TILDE) return undefined;
  const length = runLength(text, at, last, marker);
  if (length < 3) return undefined;
  // A line with further backticks is inline code.
  const isInline = marker === BACKTICK && text.slice(at + length, last).includes("`");
  return isInline ? undefined : { marker, length };
}

function closesFence(text: string, first: number, last: number, fence: Fence): boolean {
  const length = runLength(text, first, last, fence.marker);
  return length >= fence.length && first + length === last;
}

/** Whether a line is indented code: by four or more columns. */
function isIndented(text: string, lineStart: number, first: number): boolean {
  return first - lineStart > 3 || text.slice(lineStart, first).includes("\t");
}

function parseAtxHeading(text: string, lineStart: number, first: number, last: number): Block | undefined {
  if (text.charCodeAt(first) !== HASH || isIndented(text, lineStart, first)) return undefined;
  const level = runLength(text, first, last, HASH);
  const after = first + level;
  if (level > 6 || (after < last && skipSpace(text, after, after + 1) === after)) return undefined;
  const titleStart = skipSpace(text, after, last);
  let titleEnd = last;
  while (titleEnd > titleStart && text.charCodeAt(titleEnd - 1) === HASH) titleEnd--;
  const trimmed = skipSpaceBack(text, titleStart, titleEnd);
  // Closing hashes must follow a space: "# C#" is a heading about C#.
  titleEnd = trimmed < titleEnd || trimmed === titleStart ? trimmed : last;
  return { kind: "heading", start: first, end: last, level, titleStart, titleEnd };
}

/** Returns the heading level that a Setext underline gives to the line above it, or 0. */
function parseSetextUnderline(text: string, lineStart: number, first: number, last: number): number {
  const marker = text.charCodeAt(first);
  if ((marker !== EQUALS && marker !== DASH) || isIndented(text, lineStart, first)) return 0;
  if (runLength(text, first, last, marker) !== last - first) return 0;
  return marker === EQUALS ? 1 : 2;
}

function isListOrTable(text: string, start: number): boolean {
  return /^(?:[-*+][ \t]|[|>]|\d{1,9}[.)][ \t])/.test(text.slice(start, start + 12));
}
