import type { ChunkSource } from "../types.ts";
import { skipSpace, skipSpaceBack } from "../whitespace.ts";

/** A stretch of whole lines that belong together. Offsets leave out white space at the ends of the block. */
export interface Block {
  readonly kind: "heading" | "fence" | "paragraph";
  readonly start: number;
  readonly end: number;
  /** Level of a heading, 1 to 6; 0 for other blocks. */
  readonly level: number;
  /** Where a heading's words stand, without its marks. Equal to `start` and `end` for other blocks. */
  readonly titleStart: number;
  readonly titleEnd: number;
}

/**
 * The blocks of `text.slice(start, end)`, in order: headings and fenced code of Markdown (CommonMark 0.31: 4.2, 4.3, 4.5), and
 * paragraphs, which here are any lines up to an empty one. In plain text everything is a paragraph.
 *
 * One line of state and no lists, so that a text of a million headings costs no memory. `start` must be the beginning of a
 * line that is not inside a fence.
 */
export function* scanBlocks(
  text: string,
  start: number,
  end: number,
  markup: ChunkSource["markup"],
): Generator<Block> {
  const markdown = markup === "markdown";
  let open = -1; // start of the paragraph that is being read, or of its fence
  let openEnd = -1;
  let lines = 0; // lines of that paragraph
  let fence: Fence | undefined;

  for (let lineStart = start; lineStart < end;) {
    const newline = text.indexOf("\n", lineStart);
    const next = newline < 0 || newline >= end ? end : newline + 1;
    const first = skipSpace(text, lineStart, next);
    const last = skipSpaceBack(text, first, next);

    if (fence) {
      if (closesFence(text, first, last, fence)) {
        yield plain("fence", open, last);
        fence = undefined;
        open = -1;
      } else openEnd = first < last ? last : openEnd;
    } else if (first === last) {
      if (open >= 0) yield plain("paragraph", open, openEnd);
      open = -1;
    } else {
      const opened = markdown ? opensFence(text, first, last) : undefined;
      const heading = markdown ? readAtx(text, lineStart, first, last) : undefined;
      const setext = markdown && open >= 0 && lines === 1 ? readUnderline(text, lineStart, first, last) : 0;
      if (setext > 0 && !isListOrTable(text, open)) {
        yield { kind: "heading", start: open, end: last, level: setext, titleStart: open, titleEnd: openEnd };
        open = -1;
      } else if (opened || heading) {
        if (open >= 0) yield plain("paragraph", open, openEnd);
        open = -1;
        if (heading) yield heading;
        else {
          fence = opened;
          open = first;
          openEnd = last;
        }
      } else {
        lines = open < 0 ? 1 : lines + 1;
        if (open < 0) open = first;
        openEnd = last;
      }
    }
    lineStart = next;
  }
  // A fence that nobody closes runs to the end of the document (CommonMark 4.5).
  if (open >= 0) yield plain(fence ? "fence" : "paragraph", open, openEnd);
}

function plain(kind: "fence" | "paragraph", start: number, end: number): Block {
  return { kind, start, end, level: 0, titleStart: start, titleEnd: end };
}

interface Fence {
  readonly mark: number;
  readonly length: number;
}

const HASH = 0x23, BACKTICK = 0x60, TILDE = 0x7e, EQUALS = 0x3d, DASH = 0x2d;

function runLength(text: string, start: number, end: number, mark: number): number {
  let at = start;
  while (at < end && text.charCodeAt(at) === mark) at++;
  return at - start;
}

function opensFence(text: string, first: number, last: number): Fence | undefined {
  // Fences also open inside list items, as in "- ```sh"; missing one would read its end as a beginning.
  const item = /^(?:(?:[-*+]|\d{1,9}[.)])[ \t]{1,8})+/.exec(text.slice(first, Math.min(last, first + 40)));
  const at = first + (item?.[0].length ?? 0);
  const mark = text.charCodeAt(at);
  if (mark !== BACKTICK && mark !== TILDE) return undefined;
  const length = runLength(text, at, last, mark);
  if (length < 3) return undefined;
  // A line with further backticks is inline code.
  const inline = mark === BACKTICK && text.slice(at + length, last).includes("`");
  return inline ? undefined : { mark, length };
}

function closesFence(text: string, first: number, last: number, fence: Fence): boolean {
  const length = runLength(text, first, last, fence.mark);
  return length >= fence.length && first + length === last;
}

/** A line that is indented by four columns is code, not a heading. */
function isIndented(text: string, lineStart: number, first: number): boolean {
  return first - lineStart > 3 || text.slice(lineStart, first).includes("\t");
}

function readAtx(text: string, lineStart: number, first: number, last: number): Block | undefined {
  if (text.charCodeAt(first) !== HASH || isIndented(text, lineStart, first)) return undefined;
  const level = runLength(text, first, last, HASH);
  const after = first + level;
  if (level > 6 || (after < last && skipSpace(text, after, after + 1) === after)) return undefined;
  const titleStart = skipSpace(text, after, last);
  let titleEnd = last;
  while (titleEnd > titleStart && text.charCodeAt(titleEnd - 1) === HASH) titleEnd--;
  const trimmed = skipSpaceBack(text, titleStart, titleEnd);
  // Closing hashes count only after a space: "# C#" is about C#.
  titleEnd = trimmed < titleEnd || trimmed === titleStart ? trimmed : last;
  return { kind: "heading", start: first, end: last, level, titleStart, titleEnd };
}

/** Level that a Setext underline gives to the line above it; 0: not an underline. */
function readUnderline(text: string, lineStart: number, first: number, last: number): number {
  const mark = text.charCodeAt(first);
  if ((mark !== EQUALS && mark !== DASH) || isIndented(text, lineStart, first)) return 0;
  if (runLength(text, first, last, mark) !== last - first) return 0;
  return mark === EQUALS ? 1 : 2;
}

function isListOrTable(text: string, start: number): boolean {
  return /^(?:[-*+][ \t]|[|>]|\d{1,9}[.)][ \t])/.test(text.slice(start, start + 12));
}
