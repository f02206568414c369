import type { Chunk } from "../contract/mod.ts";

/** Between chunks of which nothing more is known. */
const PARAGRAPH = "\n\n";
/** Longest white space between chunks that is put back; a longer one is no longer white space of a text. */
const MAX_GAP = 100;
/** An overlap that is told by its text alone has at least as many characters: shorter ones are chance. */
const MIN_SHARED = 20;
/** Longest overlap that is looked for by text. */
const MAX_SHARED = 2_000;

/**
 * The text that chunks were cut from. Neighbours may overlap, so that search finds what stands at a cut; a reader wants
 * it once.
 *
 * With the embedded engine's offsets and lines the original comes back, but for white space that is not a run of line
 * ends with an indentation after it. An engine from elsewhere may give no offsets, or count otherwise (code points,
 * say): offsets count only where the text agrees with them, and without them an overlap is told by the text alone.
 */
export function joinChunks(chunks: readonly Chunk[]): string {
  let text = "";
  let before: Chunk | undefined;
  for (const chunk of chunks) {
    text += before ? continuation(before, chunk, text) : chunk.text;
    before = chunk;
  }
  return text;
}

/** What `chunk` adds to `text`, which ends with the chunk before it. */
function continuation(before: Chunk, chunk: Chunk, text: string): string {
  if (typeof before.char_end === "number" && typeof chunk.char_start === "number") {
    const overlap = before.char_end - chunk.char_start;
    if (overlap <= 0) return whiteSpace(-overlap, linesBetween(before, chunk)) + chunk.text;
    if (overlap <= chunk.text.length && text.endsWith(chunk.text.slice(0, overlap))) {
      return chunk.text.slice(overlap);
    }
  }
  const shared = sharedLength(before.text, chunk.text);
  return shared >= MIN_SHARED ? chunk.text.slice(shared) : PARAGRAPH + chunk.text;
}

/** Line ends between chunks that do not overlap; undefined: nobody counted them. */
function linesBetween(before: Chunk, chunk: Chunk): number | undefined {
  const [end, start] = [before.line_end, chunk.line_start];
  return typeof end === "number" && typeof start === "number" ? start - end : undefined;
}

/** White space of a length with so many line ends in it: chunks together hold all of a text that is not white space. */
function whiteSpace(length: number, lines: number | undefined): string {
  if (lines === undefined || lines < 0 || lines > length || length > MAX_GAP) return PARAGRAPH;
  return "\n".repeat(lines) + " ".repeat(length - lines);
}

/**
 * Length of the longest end of `before` that `after` begins with, but never all of one of them: the same line twice is
 * no overlap. Found in one pass over both (Knuth, Morris and Pratt), whatever the text is.
 */
function sharedLength(before: string, after: string): number {
  const head = after.slice(0, Math.min(MAX_SHARED, after.length - 1));
  const tail = before.slice(Math.max(1, before.length - MAX_SHARED));
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
