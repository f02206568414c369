import { skipSpace, skipSpaceBack } from "../whitespace.ts";
import { packSection } from "./pack.ts";
import type { PackedRange } from "./packer.ts";
import { groupSections } from "./section_groups.ts";
import { commonHeading, headingPath } from "./sections.ts";
import { TOKEN_WEIGHT } from "./tokens.ts";
import type { ChunkDraft, ChunkOptions, ChunkSource } from "./types.ts";

/**
 * Splits a text into chunks for search.
 *
 * A text that fits into one chunk is one chunk, except a mailbox. A longer text is split at its headings: short sections are
 * merged with the next ones under the same parent; long sections are split at paragraphs, sentences, lines,
 * words or characters, in that order of preference, with an overlap. Each chunk of a longer table starts with its
 * header rows. Takes linear time and memory for any text.
 *
 * @returns Chunks in reading order, each at most `maxTokens` long. Together they contain all text except
 * white space, and `text.slice(repeatedChars) === source.text.slice(charStart, charEnd)`.
 * @throws {RangeError} If `maxTokens` is not an integer of at least 16, or `overlapTokens` is not an integer
 * from 0 to half of `maxTokens`.
 *
 * @example
 * ```ts
 * import { chunkText } from "./chunk.ts";
 * import { assertEquals } from "@std/assert";
 * const [chunk] = chunkText(
 *   { text: "# Plants\n\n## Ferns\n\nWater them on Monday.\n", markup: "markdown", pageStarts: undefined },
 *   { maxTokens: 320, overlapTokens: 48 },
 * );
 * assertEquals(chunk?.headingPath, ["Plants", "Ferns"]);
 * assertEquals([chunk?.lineStart, chunk?.lineEnd], [1, 5]);
 * ```
 */
export function chunkText(source: ChunkSource, options: ChunkOptions): ChunkDraft[] {
  return [...generateChunks(source, options)];
}

/** Yields the chunks of {@linkcode chunkText} one by one: those of a large text need not be in memory together. */
export function* generateChunks(
  source: ChunkSource,
  { maxTokens, overlapTokens }: ChunkOptions,
): Generator<ChunkDraft> {
  if (!Number.isInteger(maxTokens) || maxTokens < 16) {
    throw new RangeError(`Cannot chunk text: maxTokens must be an integer of 16 or more, got ${maxTokens}`);
  }
  if (!Number.isInteger(overlapTokens) || overlapTokens < 0 || overlapTokens > maxTokens / 2) {
    throw new RangeError(
      `Cannot chunk text: overlapTokens must be an integer from 0 to half of maxTokens, got ${overlapTokens}`,
    );
  }
  const limits = { maxWeight: maxTokens * TOKEN_WEIGHT, overlapWeight: overlapTokens * TOKEN_WEIGHT };
  const lines = new LineCounter(source.text);
  for (const { sections, weight } of groupSections(source, limits.maxWeight)) {
    const path = headingPath(commonHeading(sections));
    const group = { start: sections[0]!.start, end: sections.at(-1)!.end, weight };
    const ranges = weight <= limits.maxWeight ? [group] : packSection(source, group, limits);
    for (const range of ranges) yield createChunk(source, range, path, lines);
  }
}

function createChunk(
  { text, pageStarts }: ChunkSource,
  { header, ...range }: PackedRange,
  path: readonly string[],
  lines: LineCounter,
): ChunkDraft {
  const charStart = skipSpace(text, range.start, range.end);
  const charEnd = skipSpaceBack(text, charStart, range.end);
  const repeated = header ? text.slice(header.start, header.end) : "";
  return {
    text: repeated + text.slice(charStart, charEnd),
    ...(header && { repeatedChars: repeated.length }),
    headingPath: path,
    charStart,
    charEnd,
    lineStart: lines.lineAt(charStart),
    lineEnd: lines.lineAt(charEnd),
    pageStart: pageStarts && pageAt(pageStarts, charStart),
    pageEnd: pageStarts && pageAt(pageStarts, charEnd - 1),
  };
}

/** Converts offsets to lines. Each must be close to the one before it: the text between them is read. */
class LineCounter {
  readonly #text: string;
  #offset = 0;
  #line = 1;

  constructor(text: string) {
    this.#text = text;
  }

  /** Returns the line of `offset`, from 1. */
  lineAt(offset: number): number {
    // A chunk may start before the end of the previous one.
    this.#line += offset < this.#offset
      ? -countNewlines(this.#text, offset, this.#offset)
      : countNewlines(this.#text, this.#offset, offset);
    this.#offset = offset;
    return this.#line;
  }
}

function countNewlines(text: string, start: number, end: number): number {
  let count = 0;
  // Not indexOf: without a newline it would read to the end of the text for each chunk.
  for (let at = start; at < end; at++) if (text.charCodeAt(at) === 0x0a) count++;
  return count;
}

/** Returns the page of `offset`, from 1, by binary search. */
function pageAt(pageStarts: readonly number[], offset: number): number {
  let low = 0;
  let high = pageStarts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (pageStarts[middle]! <= offset) low = middle + 1;
    else high = middle;
  }
  return Math.max(1, low);
}
