import { skipSpace, skipSpaceBack } from "../whitespace.ts";
import { isDelimiterRow } from "./table_rows.ts";
import type { ChunkSource, TextRange } from "./types.ts";

/** Consecutive lines that belong together. Offsets exclude white space at both ends. */
export interface Block {
  readonly kind: "heading" | "fence" | "list" | "table" | "paragraph";
  readonly start: number;
  readonly end: number;
  /** Level of a heading, 1 to 6; 0 for other blocks. */
  readonly level: number;
  /** Start of a heading's text after its markers; equal to `start` for other blocks. */
  readonly titleStart: number;
  /** End of a heading's text, or of the header rows of a table; equal to `end` for other blocks. */
  readonly titleEnd: number;
}

/** A block whose end has not been found. */
interface OpenBlock {
  kind: Exclude<Block["kind"], "heading">;
  readonly start: number;
  end: number;
  lines: number;
  /** Start and preceding end of its last line. */
  lastLine: number;
  endBeforeLastLine: number;
  /** End of the header rows of a table. */
  headerEnd?: number;
  fence?: Fence;
  /** Whether an empty line follows a list, which may continue. */
  isInterrupted?: boolean;
}

/**
 * Scans a range of text for its blocks, in order: headings, fenced code and lists of Markdown (CommonMark 0.31 §4.2,
 * §4.3, §4.5, §5.2), tables (GitHub Flavored Markdown 0.29 §4.10), and paragraphs, which end at an empty line. Plain
 * text has only paragraphs.
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
  let open: OpenBlock | undefined;

  for (let lineStart = start; lineStart < end;) {
    const newline = text.indexOf("\n", lineStart);
    const nextLine = newline < 0 || newline >= end ? end : newline + 1;
    const first = skipSpace(text, lineStart, nextLine);
    const last = skipSpaceBack(text, first, nextLine);

    if (open?.fence) {
      if (first < last) open.end = last;
      if (closesFence(text, first, last, open.fence)) {
        yield closeBlock(open);
        open = undefined;
      }
    } else if (first === last) {
      if (open?.kind === "list") open.isInterrupted = true;
      else if (open) {
        yield closeBlock(open);
        open = undefined;
      }
    } else if (!isMarkdown) open = extendBlock(open, first, last) ?? openBlock("paragraph", first, last);
    else {
      const isItem = startsListItem(text, first, last);
      if (open?.isInterrupted && !isItem && !isContinuation(text, lineStart, first)) {
        yield closeBlock(open);
        open = undefined;
      }
      const fence = parseFenceStart(text, first, last);
      const heading = parseAtxHeading(text, lineStart, first, last);
      const setextLevel = open?.kind === "paragraph" && open.lines === 1
        ? parseSetextUnderline(text, lineStart, first, last)
        : 0;
      if (open && setextLevel > 0 && !startsQuoteOrTable(text, open.start)) {
        yield {
          kind: "heading",
          start: open.start,
          end: last,
          level: setextLevel,
          titleStart: open.start,
          titleEnd: open.end,
        };
        open = undefined;
      } else if (fence || heading) {
        if (open) yield closeBlock(open);
        open = fence && { ...openBlock("fence", first, last), fence };
        if (heading) yield heading;
      } else if (open && open.kind !== "table" && isDelimiterRow(text, { start: first, end: last }, open)) {
        const header = open.lastLine;
        if (header > open.start) yield closeBlock({ ...open, end: open.endBeforeLastLine });
        open = { ...openBlock("table", header, last), headerEnd: last };
      } else if (isItem && open?.kind === "paragraph" && interruptsParagraph(text, first)) {
        yield closeBlock(open);
        open = openBlock("list", first, last);
      } else open = extendBlock(open, first, last) ?? openBlock(isItem ? "list" : "paragraph", first, last);
    }
    lineStart = nextLine;
  }
  // An unclosed fence ends with the document (CommonMark §4.5).
  if (open) yield closeBlock(open);
}

function openBlock(kind: OpenBlock["kind"], start: number, end: number): OpenBlock {
  return { kind, start, end, lines: 1, lastLine: start, endBeforeLastLine: start };
}

/** Adds a line to a block. */
function extendBlock(open: OpenBlock | undefined, first: number, last: number): OpenBlock | undefined {
  if (!open) return undefined;
  open.endBeforeLastLine = open.end;
  open.lastLine = first;
  open.end = last;
  open.lines++;
  open.isInterrupted = false;
  return open;
}

function closeBlock({ kind, start, end, headerEnd }: OpenBlock): Block {
  return { kind, start, end, level: 0, titleStart: start, titleEnd: headerEnd ?? end };
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

/** Whether a line after an empty one continues a list item: by its indentation. */
function isContinuation(text: string, lineStart: number, first: number): boolean {
  return first - lineStart > 1 || text.slice(lineStart, first).includes("\t");
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

function startsQuoteOrTable(text: string, start: number): boolean {
  return text.startsWith("|", start) || text.startsWith(">", start);
}

function startsListItem(text: string, first: number, last: number): boolean {
  return /^(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/.test(text.slice(first, Math.min(last, first + 11)));
}

/** Whether a list item ends the paragraph before it: "1984. The year" in the middle of a text does not. */
function interruptsParagraph(text: string, first: number): boolean {
  return /^(?:[-*+]|1[.)])[ \t]/.test(text.slice(first, first + 3));
}
