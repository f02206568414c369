import type { Chunk } from "../contract/mod.ts";

/** Separator of chunks without offsets. */
const PARAGRAPH = "\n\n";
/** Maximum length of white space that is restored: more would exceed a budget of tokens. */
const MAX_GAP = 100;
/** Minimum length of an overlap that is found by text; shorter ones may be a coincidence. */
const MIN_OVERLAP = 20;
/** Maximum length of an overlap that is found by text. */
const MAX_OVERLAP = 2_000;

/**
 * Restores the text that chunks were cut from. Neighbouring chunks overlap, so that search finds text across
 * a boundary.
 *
 * The offsets and line numbers of the embedded engine restore the original, except for white space other than
 * line ends followed by indentation. Third-party engines may have no offsets, or count differently (code
 * points, for example), so offsets are only used if the text confirms them. Otherwise the overlap is found by
 * comparing the texts.
 */
export function joinChunks(chunks: readonly Chunk[]): string {
  let text = "";
  let previous: Chunk | undefined;
  for (const chunk of chunks) {
    text += previous ? textAfter(previous, chunk) : chunk.text;
    previous = chunk;
  }
  return text;
}

/**
 * Returns the text of a chunk that follows the text of the previous one: without their overlap, or with the white
 * space between them.
 *
 * @param exact Text of the document, if it is known. It is used for white space, where the offsets agree with it.
 */
export function textAfter(previous: Chunk, chunk: Chunk, exact?: string): string {
  const [before, text] = [ownText(previous), ownText(chunk)];
  if (typeof previous.char_end === "number" && typeof chunk.char_start === "number") {
    const overlap = previous.char_end - chunk.char_start;
    if (overlap <= 0) {
      const between = exact === undefined ? undefined : exactSpace(exact, previous.char_end, chunk);
      return (between ?? whiteSpace(-overlap, linesBetween(previous, chunk))) + text;
    }
    if (overlap <= text.length && before.endsWith(text.slice(0, overlap))) return text.slice(overlap);
  }
  const overlap = overlapLength(before, text);
  return overlap >= MIN_OVERLAP ? text.slice(overlap) : PARAGRAPH + text;
}

/** Returns the first chunk of a document with its indentation, which is part of Markdown. @param exact As above. */
export function firstText(chunk: Chunk, exact: string | undefined): string {
  const before = exact === undefined ? undefined : exactSpace(exact, 0, chunk);
  return (before ?? "").replace(/^[^]*\n/, "") + chunk.text;
}

/** Whether chunks do not show all white space between them, or before the first one of a document. */
export function hasUnknownSpace(
  { chunks, first }: { readonly chunks: readonly Chunk[]; readonly first: number },
): boolean {
  return chunks.some((chunk, at) => {
    const previous = chunks[at - 1];
    if (typeof chunk.char_start !== "number") return false;
    if (!previous) return first === 0 && chunk.char_start > 0;
    if (typeof previous.char_end !== "number") return false;
    const length = chunk.char_start - previous.char_end;
    return length > 0 && length <= MAX_GAP && length !== linesBetween(previous, chunk);
  });
}

/** Returns the white space from an offset to a chunk, or undefined if the text has something else there. */
function exactSpace(exact: string, from: number, chunk: Chunk): string | undefined {
  const start = chunk.char_start ?? 0;
  const space = exact.slice(from, start);
  return space.length <= MAX_GAP && space.trim() === "" && exact.startsWith(ownText(chunk), start)
    ? space
    : undefined;
}

/** Returns the text of a chunk without the header row that it repeats. */
export function ownText({ text, repeated_chars }: Chunk): string {
  return text.slice(repeated_chars ?? 0);
}

/** Returns the number of line ends between chunks that do not overlap, if known. */
function linesBetween(previous: Chunk, chunk: Chunk): number | undefined {
  const [end, start] = [previous.line_end, chunk.line_start];
  return typeof end === "number" && typeof start === "number" ? start - end : undefined;
}

/** Returns the white space between two chunks: line ends followed by indentation. */
function whiteSpace(length: number, lines: number | undefined): string {
  if (lines === undefined || lines < 0 || lines > length || length > MAX_GAP) return PARAGRAPH;
  return "\n".repeat(lines) + " ".repeat(length - lines);
}

/**
 * Returns the length of the longest suffix of `before` that is a prefix of `after`, in linear time
 * (Knuth–Morris–Pratt). The whole of either text does not count: a line that occurs twice is not an overlap.
 */
function overlapLength(before: string, after: string): number {
  const head = after.slice(0, Math.min(MAX_OVERLAP, after.length - 1));
  const tail = before.slice(Math.max(1, before.length - MAX_OVERLAP));
  const borders = new Uint16Array(head.length);
  for (let at = 1, length = 0; at < head.length; at++) {
    while (length > 0 && head[at] !== head[length]) length = borders[length - 1]!;
    if (head[at] === head[length]) length++;
    borders[at] = length;
  }
  let length = 0;
  for (const unit of tail.split("")) {
    if (length === head.length && length > 0) length = borders[length - 1]!;
    while (length > 0 && unit !== head[length]) length = borders[length - 1]!;
    if (head.length > 0 && unit === head[length]) length++;
  }
  return length;
}
