import { packSpans, type Span } from "./pack.ts";
import { countNewlines, LineCounter, pageAt } from "./places.ts";
import { commonHeading, headingPath, isWithin, scanSections, type Section } from "./sections.ts";
import { TOKEN, weigh } from "./tokens.ts";
import type { ChunkDraft, ChunkOptions, ChunkSource } from "../types.ts";
import { skipSpace, skipSpaceBack } from "../whitespace.ts";

/**
 * Cuts a text into the chunks that search finds.
 *
 * A text that fits into one chunk is one chunk. A longer one is cut at its headings: short sections join the ones after them under
 * the same parent, a heading without a body joins what follows, a long section is cut at paragraphs, sentences, lines, words
 * or characters, in that order, with an overlap inside the section. Time and memory grow with the length
 * of the text and the chunks only, whatever the text is.
 *
 * @returns Chunks in reading order. For each, `text === source.text.slice(charStart, charEnd)`, without white space
 * at its ends, at most `maxTokens` approximate tokens; together they hold all of the text that is not white space.
 * @throws {RangeError} If `maxTokens` is not an integer of 16 or more, or `overlapTokens` not one from 0 to half of it.
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
  const { maxTokens, overlapTokens } = options;
  if (!Number.isInteger(maxTokens) || maxTokens < 16) {
    throw new RangeError(`Cannot chunk text: maxTokens must be an integer of 16 or more, got ${maxTokens}`);
  }
  if (!Number.isInteger(overlapTokens) || overlapTokens < 0 || overlapTokens > maxTokens / 2) {
    throw new RangeError(
      `Cannot chunk text: overlapTokens must be an integer from 0 to half of maxTokens, got ${overlapTokens}`,
    );
  }
  const limits = { max: maxTokens * TOKEN, overlap: overlapTokens * TOKEN };
  const lines = new LineCounter(source.text);
  const chunks: ChunkDraft[] = [];
  for (const group of groupSections(source, limits.max)) {
    const path = headingPath(commonHeading(group.sections));
    const range = { start: group.sections[0]!.start, end: group.sections.at(-1)!.end };
    const spans = group.weight <= limits.max ? [range] : packSpans(source, range, limits);
    for (const span of spans) chunks.push(toChunk(source, span, path, lines));
  }
  return chunks;
}

/** Neighbouring sections that make one chunk; or one section that makes several, with bare headings before it. */
interface Group {
  readonly sections: Section[];
  weight: number;
  hasBody: boolean;
}

function* groupSections(source: ChunkSource, max: number): Generator<Group> {
  const { text } = source;
  // No code unit weighs less than 1, so a long text need not be weighed here.
  const isSmall = text.length <= max && weigh(text, 0, text.length) <= max;
  let group: Group | undefined;
  for (const section of scanSections(source)) {
    if (group && !isSmall && !joins(group, section, max)) {
      const carried = takeBareHeadings(group, section);
      if (group.sections.length > 0) yield group;
      group = carried;
    }
    group ??= { sections: [], weight: 0, hasBody: false };
    group.sections.push(section);
    group.weight += section.weight;
    group.hasBody ||= section.hasBody;
  }
  if (group) yield group;
}

/** Takes from the end of a group the headings without a body that `next` stands under: they belong before it. */
function takeBareHeadings(group: Group, next: Section): Group {
  const taken: Group = { sections: [], weight: 0, hasBody: false };
  for (let last = group.sections.at(-1); last && !last.hasBody; last = group.sections.at(-1)) {
    if (!isWithin(next.heading, last.heading)) break;
    group.sections.pop();
    group.weight -= last.weight;
    taken.sections.unshift(last);
    taken.weight += last.weight;
  }
  return taken;
}

/** Whether a section belongs into the chunk of the group before it. */
function joins(group: Group, section: Section, max: number): boolean {
  if (!group.hasBody && isWithin(section.heading, group.sections.at(-1)!.heading)) return true;
  return group.weight + section.weight <= max &&
    isWithin(section.heading, group.sections[0]!.heading?.parent) &&
    // Sections of a fair size stay apart, since one subject per chunk is found best.
    (group.weight < max / 4 || section.weight < max / 10);
}

function toChunk(
  { text, pageStarts }: ChunkSource,
  span: Span,
  path: readonly string[],
  lines: LineCounter,
): ChunkDraft {
  const charStart = skipSpace(text, span.start, span.end);
  const charEnd = skipSpaceBack(text, charStart, span.end);
  const lineStart = lines.lineAt(charStart);
  return {
    text: text.slice(charStart, charEnd),
    headingPath: path,
    charStart,
    charEnd,
    lineStart,
    lineEnd: lineStart + countNewlines(text, charStart, charEnd),
    pageStart: pageStarts && pageAt(pageStarts, charStart),
    pageEnd: pageStarts && pageAt(pageStarts, charEnd - 1),
  };
}
